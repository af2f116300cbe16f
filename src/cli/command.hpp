#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/config.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Accepted before and after the command.
struct GlobalOptions {
  int verbosity = 0;  // -v, -vv
  bool quiet = false;
  std::string log_file;
  std::string config_file;
};

// What a command is run with, beside its own options.
struct Session {
  GlobalOptions global;
  Config config;
  Environment environment;
  const Cancel& cancel;
  std::vector<std::string> arguments{};  // as the program was called
};

// A command's work; gives the exit code, throws Error.
using Action = std::function<int(Session&)>;

// Each adds one command (utils: its subcommands) with its options to the program, and sets `action`
// when the command line names it.
void add_predict_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_merge_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_embed_command(CLI::App& app, Action& action);
void add_benchmark_command(CLI::App& app, Action& action);
void add_profile_command(CLI::App& app, Action& action);
void add_tune_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_utils_commands(CLI::App& app, Action& action);
void add_help_command(CLI::App& app, Action& action);  // after the commands it describes

}  // namespace virnucpro

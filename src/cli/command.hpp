#pragma once

#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Options that may stand before or after the command.
struct GlobalOptions {
  bool verbose = false;
  bool quiet = false;
  std::string log_file;
  std::string config_file;
};

// The data that a command gets besides its own options.
struct Session {
  GlobalOptions global;
  Config config;
  Environment environment;
  const Cancel& cancel;
  std::vector<std::string> arguments{};  // the program's command line
};

// Each function adds one command, with its options and its work, to the program. Commands that
// measure are in measure/commands/.
void add_predict_command(Command& program);
void add_export_command(Command& program);
void add_merge_command(Command& program);
void add_label_reads_command(Command& program);
void add_report_command(Command& program);
void add_evaluate_command(Command& program);
void add_embed_command(Command& program);
void add_calibrate_command(Command& program);
void add_download_command(Command& program);
void add_utils_commands(Command& program);  // utils and its subcommands
void add_help_command(Command& program);    // call it last: help describes the others

void add_validate_command(Command& utils);
void add_inspect_command(Command& utils);
void add_list_devices_command(Command& utils);
void add_generate_config_command(Command& utils);
void add_validate_checkpoints_command(Command& utils);
void add_export_weights_command(Command& utils);

}  // namespace virnucpro

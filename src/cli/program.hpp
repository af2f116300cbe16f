#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace virnucpro {

// The whole command line as CLI11 knows it; what it fills in lives as long as it does.
class Program {
 public:
  Program();

  CLI::App& app() { return app_; }
  const CLI::App& app() const { return app_; }
  const GlobalOptions& global() const { return global_; }
  const Action& action() const { return action_; }

 private:
  CLI::App app_;
  GlobalOptions global_;
  Action action_;
};

// Of the commands directly under `app`.
std::vector<std::string> command_names(const CLI::App& app);
// "unknown command perdict; did you mean predict?"
std::string explain_unknown_command(const CLI::App& app, const std::string& name);

// Why a command line cannot be used, with the nearest known command or flag for an unknown one.
std::string explain_usage(CLI::App& app, const CLI::ParseError& error);

// Parses, dispatches, reports errors on stderr; gives the exit code.
int run_program(int argc, const char* const* argv);

}  // namespace virnucpro

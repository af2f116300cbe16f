#pragma once

#include "cli/command.hpp"

namespace virnucpro {

// The whole command line, with the variables that its options fill in.
class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() = default;

  Command& commands() { return commands_; }
  const Command& commands() const { return commands_; }
  const GlobalOptions& global() const { return global_; }

 private:
  Command commands_;
  GlobalOptions global_;
};

// Parses the command line, runs the command, and reports errors on stderr. Returns the exit code.
int run_program(int argc, const char* const* argv);

}  // namespace virnucpro

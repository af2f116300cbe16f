#pragma once

#include <span>

#include "cli/command.hpp"

namespace virnucpro {

// Adds a command, with its options and its work, to the program.
using AddCommand = void (*)(Command& program);

// The whole command line, with the variables that its options fill in.
class Program {
 public:
  // Help lists `commands` in their order, then the command help.
  explicit Program(std::span<const AddCommand> commands);
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

// Parses the command line, runs one of `commands`, and reports errors on stderr. Returns the exit
// code.
int run_program(int argc, const char* const* argv, std::span<const AddCommand> commands);

}  // namespace virnucpro

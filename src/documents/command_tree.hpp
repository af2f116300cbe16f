#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace virnucpro {

// The command line as plain data, read from the tree that the program parses with: what help says,
// manual and completion say.

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; of an argument: "INPUT"
  bool is_argument = false;        // stands without a name of its own
  bool takes_value = false;
  bool repeats = false;
  bool required = false;
  std::string value;  // what a value is: "FILE", "auto|cpu"; empty without one
  std::string group;
  std::string text;
};

struct CommandInfo {
  std::string name;  // all of it: "virnucpro utils inspect"
  std::string text;
  std::vector<OptionInfo> options;
  std::string footer;  // examples and remarks
  std::vector<CommandInfo> commands;
};

CommandInfo describe_command(const CLI::App& command);

// The last word of a command's name.
std::string last_word(const std::string& name);

}  // namespace virnucpro

#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

inline constexpr const char* kInputGroup = "Input";

struct InputOptions {
  std::vector<std::string> paths;
  bool paired = false;
  std::string reference;
  std::string max_id_length;
};

void add_input_options(Command& command, InputOptions& options);

// Errors: kUsage if stdin is given twice, or pairs have an odd number of files; kInputMissing for a
// reference that cannot be read.
InputSettings choose_inputs(const InputOptions& options);

}  // namespace virnucpro

#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "sequence/input_set.hpp"
#include "sequence/translation.hpp"

namespace virnucpro {

inline constexpr const char* kInputGroup = "Input";

struct InputOptions {
  std::vector<std::string> paths;
  bool paired = false;
  std::string reference;
  std::string max_id_length;
  bool rna = false;
  bool no_rna = false;
  std::string genetic_code;
};

void add_input_options(Command& command, InputOptions& options);
// Adds --genetic-code, for commands that translate.
void add_genetic_code(Command& command, InputOptions& options);

// Reads the options on inputs. Errors: kUsage if stdin is given twice, or pairs have an odd number
// of files; kConfig; kInputMissing for a reference that cannot be read.
InputSettings choose_inputs(const InputOptions& options, const Config& config);
// Reads --rna and --genetic-code, or run.rna and run.genetic_code. Errors: kUsage, kConfig.
Translation choose_translation(const InputOptions& options, const Config& config);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Writes failed_inputs.txt: one row per input that could not be read to its end, tab-separated,
// with the header `name error record offset message`; `record` is NA for a failure before the first
// record. If no input failed, no file is written, and an older one is removed. Control characters
// in names and messages are written as \xHH. Errors: kOutputWrite.
void write_failed_inputs(const std::vector<InputEntry>& inputs,
                         const std::filesystem::path& directory);

}  // namespace virnucpro

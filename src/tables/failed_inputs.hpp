#pragma once

#include <filesystem>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Writes failed_inputs.txt: a row for each input that could not be read to its end, tab-separated
// with the header `name error record offset message`; `record` is NA where the failure lies before
// the first record. Without a failed input there is no such file: an older one is removed.
// Control characters in names and messages are written as \xHH. Errors: kOutputWrite.
void write_failed_inputs(const std::vector<InputEntry>& inputs,
                         const std::filesystem::path& directory);

}  // namespace virnucpro

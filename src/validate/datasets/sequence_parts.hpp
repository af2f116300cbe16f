#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Calls `visit` with the records of the files, one after the other, until it returns false. Returns
// how many it visited. Errors: the inputs'; Cancel's.
std::uint64_t each_record(const std::vector<std::filesystem::path>& files, const Cancel& cancel,
                          const std::function<bool(const InputRecord&)>& visit);

// Writes the first `count` of their sequences as FASTA to the files `parts`, the same number to
// each, in order. Errors: as above; kOutputWrite.
void write_parts(const std::vector<std::filesystem::path>& files, std::uint64_t count,
                 const std::vector<std::filesystem::path>& parts, const Cancel& cancel);

}  // namespace virnucpro

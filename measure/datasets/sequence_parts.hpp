#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Calls `visit` with each record of the files, in order, until `visit` returns false. Returns how
// many records it visited. Errors: those of the inputs and of Cancel.
std::uint64_t each_record(const std::vector<std::filesystem::path>& files, const Cancel& cancel,
                          const std::function<bool(const InputRecord&)>& visit);

// Writes the first `count` sequences of `files` as FASTA to the files `parts`, in order. The parts'
// numbers of sequences differ by at most one. Errors: those of each_record(); kOutputWrite.
void write_parts(const std::vector<std::filesystem::path>& files, std::uint64_t count,
                 const std::vector<std::filesystem::path>& parts, const Cancel& cancel);

}  // namespace virnucpro

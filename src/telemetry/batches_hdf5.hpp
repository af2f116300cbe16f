#pragma once

#include <filesystem>

namespace virnucpro {

// Writes telemetry_<time>.h5 from the lines of telemetry_<time>.jsonl: a dataset of float64 for
// every column of a batch (telemetry/batch_line.hpp), compressed; what a line lacks is NaN there,
// and a count is 0. Lines that cannot be read are left out, and what was written of the last one
// when the run was killed. `queue_state` is an index into the names in the attribute
// `queue_states`. Appears complete or not at all; memory does not grow with the lines. Errors:
// kInputMissing, kInputRead, kOutputWrite.
void write_batches_hdf5(const std::filesystem::path& lines, const std::filesystem::path& file);

}  // namespace virnucpro

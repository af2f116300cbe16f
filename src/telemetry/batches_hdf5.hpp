#pragma once

#include <filesystem>

#include "base/directory.hpp"

namespace virnucpro {

// Writes telemetry_<time>.h5 from telemetry_<time>.jsonl at the end of a run, because kill -9 makes
// an open HDF5 file unreadable. The file has a compressed float64 dataset for each column of a
// batch (telemetry/batch_line.hpp). A missing value is NaN. Unreadable lines and an incomplete last
// line are skipped. `queue_state` is an index into the names in the attribute `queue_states`.
// `batch_idx` and `packing_efficiency` are v2's names for `batch` and `packing`. The file appears
// only when it is complete. Memory is fixed. Errors: kInputMissing, kInputRead, kOutputWrite.
void write_batches_hdf5(const std::filesystem::path& lines, const FilePlace& file);

}  // namespace virnucpro

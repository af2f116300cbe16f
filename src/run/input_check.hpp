#pragma once

#include <filesystem>
#include <vector>

#include "base/cancel.hpp"
#include "run/output_directory.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Checks, before anything is loaded or written, that some input (both files of a pair) can be
// opened. Opens none itself, as a pipe can be read only once. Errors: kUsage as InputSet's; if no
// input can be opened, the first one's: kInputMissing, or kInputRead for a folder.
void require_an_input(const InputSettings& settings, const Cancel& cancel);

// Reads the first record of every input except pipes, so that unusable inputs are found before the
// models are loaded. Errors: kUsage as InputSet's; that of the first failing input.
void require_first_records(const InputSettings& settings, const Cancel& cancel);

// The same, but only for a record without qualities; what else is wrong is found when the run reads
// the input. Errors: kNoQualities.
void require_first_qualities(const InputSettings& settings, const Cancel& cancel);

// Whether stdin or another pipe is among the inputs; these can be read only once.
bool has_pipe(const InputSettings& settings);

// Before an earlier run's files are removed: some input must have a first record, as far as that
// can be known. Errors: that of the first failing input.
void require_a_first_record(const InputSettings& settings, const Cancel& cancel);

// Call it before anything is replaced or removed. Errors: kUsage, naming the file, where an input
// or the reference would be lost when the directory is cleared.
void require_inputs_kept(const InputSettings& settings, const OutputDirectory& directory);
// The same for what these files would replace; they need not exist yet.
void require_inputs_kept(const InputSettings& settings,
                         const std::vector<std::filesystem::path>& outputs);

}  // namespace virnucpro

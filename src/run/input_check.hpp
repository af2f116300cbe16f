#pragma once

#include <filesystem>
#include <vector>

#include "base/cancel.hpp"
#include "run/output_directory.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Checks that at least one input can be opened (both files of a pair). Call it before anything is
// loaded or written. Opens no file, because a pipe can be read only once. Errors: kUsage for a bad
// list; if no input can be opened, kInputMissing, or kInputRead if the first is a folder.
void require_an_input(const InputSettings& settings, const Cancel& cancel);

// Reads the first record of every input except pipes, so that unusable inputs are found before the
// models are loaded. Errors: kUsage for a bad list; the error of the first failing input.
void require_first_records(const InputSettings& settings, const Cancel& cancel);

// Reads the first record of every input except pipes. Refuses only a record without qualities,
// because the run itself finds all other faults. Errors: kNoQualities.
void require_first_qualities(const InputSettings& settings, const Cancel& cancel);

// True if stdin or another pipe is among the inputs. A pipe can be read only once.
bool has_pipe(const InputSettings& settings);

// Checks that the first record of at least one input can be read. Does nothing if an input is a
// pipe. Call it before an earlier run's files are removed. Errors: the error of the first failing
// input.
void require_a_first_record(const InputSettings& settings, const Cancel& cancel);

// Checks that clearing the directory would remove no input and no reference. Call it before
// anything is replaced or removed. Errors: kUsage, naming the file.
void require_inputs_kept(const InputSettings& settings, const OutputDirectory& directory);
// Checks that writing `outputs` would replace no input and no reference. The outputs need not exist
// yet.
void require_inputs_kept(const InputSettings& settings,
                         const std::vector<std::filesystem::path>& outputs);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <functional>

#include "base/cancel.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Asks, before anything is loaded or written, whether there is an input that can be opened (of a
// pair both files). Opens none itself: what a pipe gives can be read only once. Errors: kUsage as
// InputSet's; when there is none, the first one's: kInputMissing, or kInputRead for a folder.
void require_an_input(const InputSettings& settings, const Cancel& cancel);

// Reads the first record of every input that is no pipe, so that what cannot be used is known
// before the models are loaded. Errors: kUsage as InputSet's; the first failing input's.
void require_first_records(const InputSettings& settings, const Cancel& cancel);

// Whether stdin or another pipe is among the inputs: what it gives can be read only once.
bool has_pipe(const InputSettings& settings);

// Before anything is replaced or removed: refuses with kUsage when that would cost an input or the
// reference, naming it. `lost`: whether this file would be.
void require_inputs_kept(const InputSettings& settings,
                         const std::function<bool(const std::filesystem::path&)>& lost);

}  // namespace virnucpro

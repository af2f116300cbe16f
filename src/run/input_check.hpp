#pragma once

#include "base/cancel.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Asks, before anything is loaded or written, whether there is an input that can be opened (of a
// pair both files). Opens none itself: what a pipe gives can be read only once. Errors: kUsage as
// InputSet's; when there is none, the first one's: kInputMissing, or kInputRead for a folder.
void require_an_input(const InputSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include "tokens/packer.hpp"

namespace virnucpro {

// Returns the proteins on which models in 8 bits correct their biases. They are real and always the
// same, so that a model's answers depend only on its weights. They have no nucleotides.
PackedFrames calibration_frames();

}  // namespace virnucpro

#pragma once

#include "tokens/packer.hpp"

namespace virnucpro {

// Returns the real proteins on which 8-bit models correct their biases, without nucleotides. The
// proteins never change, so that a model's results depend only on its weights.
PackedFrames calibration_frames();

}  // namespace virnucpro

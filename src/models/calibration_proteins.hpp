#pragma once

#include "tokens/packer.hpp"

namespace virnucpro {

// Returns frames with real proteins and no nucleotides. 8-bit models use the frames to correct
// their biases. The proteins never change, so that a model's results depend only on its weights.
PackedFrames calibration_frames();

}  // namespace virnucpro

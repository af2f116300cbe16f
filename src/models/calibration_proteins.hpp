#pragma once

#include "tokens/packer.hpp"

namespace virnucpro {

// The proteins on which models in 8 bits correct their biases: real ones, always the same, so that
// a model's answers depend on nothing but its weights. Without nucleotides.
PackedFrames calibration_frames();

}  // namespace virnucpro

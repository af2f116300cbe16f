#pragma once

#include "cli/command.hpp"
#include "run/calibration.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// Returns the calibration for `--margin auto` if none is given, for these models, device and
// precisions, so that no call changes unseen by default. It depends only on the weights and a fixed
// sample of made-up sequences: shards that were calibrated on different machines can be merged. It
// comes from the cache, or is made in minutes and put there. A cache that cannot be used, or may
// hold a stranger's files, gives a warning. Errors: those of calibrate(); kConfig.
Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session);

}  // namespace virnucpro

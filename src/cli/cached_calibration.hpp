#pragma once

#include "cli/command.hpp"
#include "run/calibration.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// Returns the calibration that `--margin auto` takes if none is given, for these models, device and
// precisions. It depends on the weights and a fixed sample of made-up sequences alone. So no call
// changes unseen by default, and shards that were calibrated on their own machines can be merged.
// It comes from the cache, or is made now, which takes minutes, and put there. A cache that cannot
// be used, or in which a stranger may have put files, is a warning. Errors: those of calibrate();
// kConfig.
Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session);

}  // namespace virnucpro

#pragma once

#include "cli/command.hpp"
#include "run/calibration.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// The calibration that `--margin auto` takes where none is given: of these models, device and
// precisions, on made-up sequences. It is in the cache, where an earlier run put it, or made now,
// which takes minutes, and put there. A cache that cannot be used, or in which a stranger may have
// put files, is a warning. Errors: those of calibrate(); kConfig.
Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session);

}  // namespace virnucpro

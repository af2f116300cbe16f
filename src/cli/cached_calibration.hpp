#pragma once

#include "base/config.hpp"
#include "cli/command.hpp"
#include "run/calibration.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// run.calibration_frames, or the default of `calibrate`. Errors: kConfig.
std::size_t choose_calibration_frames(const Config& config);

// The calibration that `--margin auto` takes where none is given: of these models, device and
// precisions, on made-up sequences. It is in the cache, where an earlier run put it, or made now,
// which takes minutes, and put there. A cache that cannot be used is a warning. Errors: those of
// calibrate(); kConfig.
Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session);

}  // namespace virnucpro

#pragma once

#include "cli/command.hpp"
#include "run/calibration.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// Returns the calibration that `--margin auto` uses if the user names none, so that int8 changes no
// call unnoticed. It is measured on fixed made-up sequences, not on the run's inputs, so shards
// that were calibrated on different machines can be merged. Reads the calibration from the cache;
// if it is missing there, makes it, which takes minutes, and stores it. If the cache cannot be
// used, or may have files of other users, warns and uses no cache. Errors: those of calibrate();
// kConfig.
Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session);

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "cli/command.hpp"
#include "report/calibration_report.hpp"
#include "run/calibrate.hpp"
#include "run/calibration.hpp"

namespace virnucpro {

inline constexpr std::size_t kDefaultCalibrationFrames = 30'000;  // just enough to meet kFlipChance
inline constexpr std::size_t kMostCalibrationFrames =
    500'000;  // because memory holds the embeddings of each frame twice

// Returns the conditions of a calibration that will be written to `file`.
CalibrationFacts calibration_facts(const CalibrateSettings& settings,
                                   const std::filesystem::path& file, const Session& session);

struct MadeCalibration {
  CalibrationFacts facts{};
  CalibrationResult result{};
  Calibration calibration{};
  std::string json{};  // the content of the file
};

// Calibrates. Calls `on_point` after each policy, and logs each step. Errors: those of calibrate().
MadeCalibration make_calibration(const CalibrateSettings& settings, CalibrationFacts facts,
                                 const Cancel& cancel,
                                 const std::function<void(const CalibrationPoint&)>& on_point);

}  // namespace virnucpro

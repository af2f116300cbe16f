#pragma once

#include <string>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/options.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// --calibration, --margin, --shadow and --check-precision as written; empty if not given.
struct FinerOptions {
  std::string calibration{};
  std::string margin{};
  std::string shadow{};
  std::string precision{};
};

void add_check_options(Command& command, FinerOptions& options, const std::string& group);
void add_check_precision(Command& command, std::string& option, const std::string& group);

// Sets the margin of close calls, the share of the shadow check, and the finer precision of both. A
// calibration also sets what int8 keeps in 16 bits. The run's own precision must already be set.
// Returns true if the caller must still find or make a calibration for margin and policy. Errors:
// kUsage, kConfig, kCalibration; kPrecision and kCpu as in choose_check_precision().
[[nodiscard]] bool choose_check(const FinerOptions& options, const ComputeOptions& compute,
                                const Config& config, PredictSettings& settings);
void use_calibration(Calibration calibration, PredictSettings& settings);

// Returns the check precision: --check-precision, run.check_precision or the default. Errors:
// kUsage, kConfig; kPrecision if the check precision is not finer than the run's, or if the device
// does not support it; kCpu if the processor lacks instructions for it.
Precision choose_check_precision(const std::string& option, const Config& config,
                                 const ComputeSettings& compute);

}  // namespace virnucpro

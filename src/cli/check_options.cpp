#include "cli/check_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "ops/cpu.hpp"
#include "run/close_calls.hpp"
#include "run/load_models.hpp"
#include "run/run_fingerprint.hpp"
#include "run/shadow_check.hpp"

namespace virnucpro {
namespace {

constexpr const char* kMarginConfig = "run.margin";
constexpr const char* kPrecisionConfig = "run.check_precision";
constexpr const char* kShadowConfig = "run.shadow";
constexpr const char* kCalibrationConfig = "run.calibration";
constexpr std::string_view kAuto = "auto";
constexpr std::string_view kNoCalibration = "none";
constexpr const char* kPrecisions = "auto, fp32, fp16 or bf16";

std::string expected_margin() {
  return fmt::format("a number from 0 to {:g}", CallMargin::kMost);
}

// Returns the margin in logits; empty if a calibration must first be found or made. Empty is the
// default for int8 on a GPU, so that int8 changes no call unnoticed.
std::optional<double> choose_margin(const std::string& option, const Config& config,
                                    const PredictSettings& settings) {
  const bool by_default = option.empty() && !config.number(kMarginConfig);
  if (option == kAuto || (by_default && settings.calibration)) {
    if (!settings.calibration) return std::nullopt;
    require_possible_margin(*settings.calibration);
    return settings.calibration->margin;
  }
  const ComputeSettings& compute = settings.compute;
  if (by_default && compute.precision == Precision::kInt8 && !compute.gpus.empty()) {
    return std::nullopt;
  }
  if (option.empty()) return config.number_in(kMarginConfig, 0, 0, CallMargin::kMost);
  const std::optional<double> margin = parse_number(option);
  if (margin && *margin >= 0 && *margin <= CallMargin::kMost) return *margin;
  fail_usage(fmt::format("--margin {}: expected auto or {}", option, expected_margin()));
}

double choose_shadow(const std::string& option, const Config& config) {
  if (option.empty()) {
    const double share = config.number_in(kShadowConfig, 0, 0, 1);
    return share == 0 ? 0 : std::max(share, kLeastShadow);
  }
  const std::optional<double> share = parse_number(option);
  if (share && (*share == 0 || (*share >= kLeastShadow && *share <= 1))) return *share;
  fail_usage(
      fmt::format("--shadow {}: expected 0, or a number from {:g} to 1", option, kLeastShadow));
}

// Reads the calibration that an option or the configuration names, if any. Ignores run.calibration
// if --int8-keep is given or the precision differs, so that one configuration serves all runs.
std::optional<Calibration> choose_calibration(const FinerOptions& options,
                                              const ComputeOptions& compute, const Config& config,
                                              const ComputeSettings& chosen) {
  const bool by_key = options.calibration.empty();
  const std::string file =
      by_key ? config.text(kCalibrationConfig).value_or(std::string(kNoCalibration))
             : options.calibration;
  if (file == kNoCalibration) return std::nullopt;
  if (by_key && !compute.int8_keep.empty()) {
    log_info("run.calibration has no effect: --int8-keep is given");
    return std::nullopt;
  }
  Calibration calibration = read_calibration(file);
  const std::string made_for = calibration.made_for_text("precision");
  if (made_for == precision_name(chosen)) return calibration;
  if (by_key) {
    log_info("run.calibration has no effect: it was made for {}, and this run computes in {}",
             made_for, precision_name(chosen));
    return std::nullopt;
  }
  throw Error(ErrorKind::kCalibration, Place{.file = file},
              fmt::format("it was made for {}, and this run computes in {}", made_for,
                          precision_name(chosen)));
}

Precision default_check_precision(const ComputeSettings& compute) {
  const bool in_halves = !compute.gpus.empty() && compute.precision == Precision::kInt8;
  return in_halves ? Precision::kFp16 : Precision::kFp32;
}

Precision named_check_precision(const std::string& option, const Config& config,
                                const ComputeSettings& compute) {
  const std::string word = option.empty() ? config.text(kPrecisionConfig).value_or("auto") : option;
  const std::optional<Precision> precision =
      word == "auto" ? default_check_precision(compute) : parse_precision(word, compute.gpus);
  if (precision) return *precision;
  if (option.empty()) throw config.wrong_value(kPrecisionConfig, kPrecisions);
  fail_usage(fmt::format("--check-precision {}: expected {}", word, kPrecisions));
}

// Throws kPrecision if `precision` is not finer than the run's; kCpu if the processor lacks it.
void require_finer(Precision precision, const ComputeSettings& compute) {
  if (!is_finer(precision, compute.precision)) {
    throw Error(ErrorKind::kPrecision,
                fmt::format("the check precision {} is not finer than the run's precision, {}",
                            name_of(precision), precision_name(compute)))
        .advised("Choose a finer --check-precision or a coarser --precision; fp32 is the finest.");
  }
  if (compute.gpus.empty()) cpu_kernel_path(precision);
}

}  // namespace

void add_check_precision(Command& command, std::string& option, const std::string& group) {
  command
      .add_value("--check-precision", option,
                 "The finer precision for computing calls again (default auto: fp16 for int8 on a "
                 "GPU, else fp32)",
                 "auto|fp32|fp16|bf16", group)
      .listed_by = ListedBy::kHelpAll;
}

void add_check_options(Command& command, FinerOptions& options, const std::string& group) {
  const std::size_t rare = command.options.size();
  command.add_value(
      "--calibration", options.calibration,
      "File that virnucpro calibrate made for these models; it says what int8 keeps in "
      "16 bits, and the margin",
      "FILE|none", group);
  command.add_value(
      "--margin", options.margin,
      "Compute chunks again, in the check precision, if their two scores are at most X logits "
      "apart; auto: the calibration's margin; a missing calibration is made first "
      "(default: auto for int8 on a GPU and with --calibration, else 0: none)",
      "X|auto", group);
  command.add_value(
      "--shadow", options.shadow,
      "Compute this share of the clearest calls in the check precision, too, and up to "
      "64 times this share of closer calls; report how many calls would change "
      "(default 0: none)",
      "X", group);
  add_check_precision(command, options.precision, group);
  leave_to_help_all(command, rare);
}

Precision choose_check_precision(const std::string& option, const Config& config,
                                 const ComputeSettings& compute) {
  const Precision precision = named_check_precision(option, config, compute);
  require_finer(precision, compute);
  return precision;
}

bool choose_check(const FinerOptions& options, const ComputeOptions& compute, const Config& config,
                  PredictSettings& settings) {
  if (auto given = choose_calibration(options, compute, config, settings.compute)) {
    // Refuses --int8-keep: the margin holds only for the linears that the calibration keeps in 16
    // bits.
    if (!compute.int8_keep.empty()) {
      fail_usage(
          "--int8-keep: the calibration already names the products that stay in 16 bits; leave "
          "--int8-keep out, or give it to virnucpro calibrate");
    }
    use_calibration(*std::move(given), settings);
  }
  const std::optional<double> margin = choose_margin(options.margin, config, settings);
  settings.margin = margin.value_or(0);
  settings.shadow = choose_shadow(options.shadow, config);
  if (margin && *margin == 0) {
    for (const auto& [flag, option] : {std::pair("--shadow", options.shadow),
                                       std::pair("--check-precision", options.precision)}) {
      if (!option.empty() && option != "0") fail_usage(fmt::format("{} needs --margin", flag));
    }
    settings.shadow = 0;
    return false;
  }
  std::string precision = options.precision;
  if (precision.empty() && settings.calibration) {
    precision = settings.calibration->made_for_text(kCheckPrecisionKey);
  }
  // Ignores the configuration's keys if the check precision is not finer than the run's, so that
  // one configuration serves all runs.
  const bool by_key = options.margin.empty() && options.calibration.empty() &&
                      options.shadow.empty() && options.precision.empty();
  const Precision finer = named_check_precision(precision, config, settings.compute);
  if (by_key && !is_finer(finer, settings.compute.precision)) {
    log_info("run.margin has no effect: the check precision {} is not finer than this run's, {}",
             name_of(finer), precision_name(settings.compute));
    settings.margin = 0;
    settings.shadow = 0;
    return false;
  }
  require_finer(finer, settings.compute);
  settings.compute.check_precision = finer;
  return !margin;
}

void use_calibration(Calibration calibration, PredictSettings& settings) {
  settings.compute.int8_policy = Int8Policy::parse(calibration.int8_keep).value();
  settings.margin = calibration.margin;
  settings.calibration = std::move(calibration);
}

}  // namespace virnucpro

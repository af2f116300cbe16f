#include "cli/made_calibration.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/log.hpp"
#include "cli/options.hpp"
#include "cli/provenance.hpp"
#include "run/load_models.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

std::string sample_text(const CalibrateSettings& settings) {
  if (!settings.sample_file.empty()) return settings.sample_file;
  return fmt::format("made-up coding sequences, seed {}", settings.seed);
}

}  // namespace

CalibrationFacts calibration_facts(const CalibrateSettings& settings,
                                   const std::filesystem::path& file, const Session& session) {
  return {.provenance = provenance_here(settings.compute, session),
          .device = device_name(settings.compute),
          .dnabert_s = settings.models.dnabert_s,
          .esm2 = settings.models.esm2,
          .classifier = settings.models.classifier,
          .precision = precision_name(settings.compute),
          .check_precision = std::string(name_of(settings.compute.check_precision.value())),
          .sample = sample_text(settings),
          .frames_wanted = settings.frames,
          .chunk_size = settings.chunk_size,
          .target = settings.target,
          .file = file.string()};
}

MadeCalibration make_calibration(const CalibrateSettings& settings, CalibrationFacts facts,
                                 const Cancel& cancel,
                                 const std::function<void(const CalibrationPoint&)>& on_point) {
  MadeCalibration made{.facts = std::move(facts)};
  made.result =
      calibrate(settings, cancel, on_point, [](const std::string& step) { log_info("{}", step); });
  made.facts.synthetic = is_synthetic(made.result.description);
  made.calibration = {.made_for = calibrated_part(made.result.description),
                      .int8_keep = made.result.result().policy.text(),
                      .margin = made.result.margin,
                      .file = made.facts.file};
  made.json = calibration_json(made.calibration, calibration_details(made.facts, made.result));
  return made;
}

}  // namespace virnucpro

#include "cli/cached_calibration.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/environment_path.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/made_calibration.hpp"
#include "ops/cpu.hpp"
#include "run/load_models.hpp"
#include "tensor/device.hpp"
#include "weights/locate.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramesConfig = "run.calibration_frames";

fs::path cache_folder() {
  const fs::path cache = own_cache();
  return cache.empty() ? cache : cache / "calibrations";
}

// A file that was replaced has another inode or change time, even where its copy kept all else.
std::string file_text(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto time = [](const timespec& when) {
    return fmt::format("{}.{:09}", when.tv_sec, when.tv_nsec);
  };
  return fmt::format("{} {} {} {} {}\n", path.filename().string(), status.st_size, status.st_ino,
                     time(status.st_mtim), time(status.st_ctim));
}

// What tells a model from another without reading it.
std::string model_text(ModelFamily family, const std::string& model, const ModelLookup& lookup) {
  if (is_synthetic(model)) return model + "\n";
  const fs::path place = locate_model(family, model, lookup);
  std::string text = place.string() + "\n";
  if (!fs::is_directory(place)) return text + file_text(place);
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    if (entry.is_regular_file()) files.push_back(file_text(entry.path()));
  }
  std::ranges::sort(files);
  for (const std::string& file : files) text += file;
  return text;
}

// What its kernels depend on.
std::string device_text(const ComputeSettings& compute) {
  if (compute.gpus.empty()) return std::string(cpu_kernel_path(compute.precision));
  const DeviceInfo device = survey_device(compute.gpus.front().index);
  return fmt::format("cuda {}.{}", device.compute_major, device.compute_minor);
}

// All that the calibration depends on.
std::string key_of(const CalibrateSettings& settings) {
  const ModelSettings& models = settings.models;
  const std::string text =
      model_text(ModelFamily::kDnabert, models.dnabert_s, models.lookup) +
      model_text(ModelFamily::kEsm2, models.esm2, models.lookup) +
      model_text(ModelFamily::kClassifier, models.classifier, models.lookup) +
      fmt::format("{} {} {} {} {} {} {}\n", precision_name(settings.compute),
                  settings.compute.int8_policy.text(),
                  name_of(settings.compute.check_precision.value()), device_text(settings.compute),
                  settings.chunk_size, settings.frames, kNumericsVersion);
  ContentHash hash;
  hash.update(as_bytes(text));
  return hash.hex();
}

std::optional<Calibration> find(const fs::path& file) {
  if (file.empty() || !is_there(file)) return std::nullopt;
  try {
    return read_calibration(file);
  } catch (const Error& error) {
    log_warning("{}; it is made anew", error.what());
    return std::nullopt;
  }
}

void keep(const fs::path& place, const std::string& text) {
  try {
    make_directory(place.parent_path());
    AtomicFile file(place);
    file.write(text);
    file.commit();
  } catch (const Error& error) {
    if (is_there(place)) return;  // another run was faster
    log_warning("the calibration is not kept for later runs: {}", error.what());
  }
}

// Calls are left to the margin: to have nearly all of them equal before that would keep so much in
// 16 bits that nothing is gained.
CalibrateSettings settings_of(const PredictSettings& settings, const Config& config) {
  CalibrateSettings calibrate{.models = settings.models,
                              .compute = settings.compute,
                              .chunk_size = settings.chunk_size,
                              .frames = config.count_in(kFramesConfig, kDefaultCalibrationFrames, 1,
                                                        kMostCalibrationFrames),
                              .target = {.equal_calls = 0}};
  if (calibrate.compute.gpus.size() > 1) calibrate.compute.gpus.resize(1);
  return calibrate;
}

}  // namespace

Calibration find_or_make_calibration(const PredictSettings& settings, const Session& session) {
  const CalibrateSettings calibrating = settings_of(settings, session.config);
  const fs::path folder = cache_folder();
  const fs::path file = folder.empty() ? folder : folder / (key_of(calibrating) + ".json");
  if (std::optional<Calibration> found = find(file)) {
    log_info("calibration: {}", file.string());
    return *std::move(found);
  }
  const std::string what = fmt::format(
      "calibrating {} against {} on {} made-up frames, once for these models",
      precision_name(calibrating.compute), name_of(calibrating.compute.check_precision.value()),
      grouped(calibrating.frames));
  log_info("{}", what);
  if (!session.global.quiet) terminal_print(what);
  MadeCalibration made =
      make_calibration(calibrating, calibration_facts(calibrating, file, session), session.cancel,
                       [](const auto&) {});
  for (const std::string& warning : warnings_of(made.facts, made.result)) {
    log_warning("{}", warning);
  }
  if (folder.empty()) {
    log_warning(
        "the calibration is not kept for later runs: neither VIRNUCPRO_CACHE nor HOME is set");
  } else {
    keep(file, made.json);
  }
  return std::move(made.calibration);
}

}  // namespace virnucpro

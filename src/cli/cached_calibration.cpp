#include "cli/cached_calibration.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/made_calibration.hpp"
#include "ops/cpu.hpp"
#include "run/load_models.hpp"
#include "tensor/device.hpp"
#include "tensor/device_advice.hpp"
#include "weights/locate.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramesConfig = "run.calibration_frames";

constexpr const char* kNotKept = "the calibration is not kept for later runs";

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kCalibration, Place{.file = path.string()}, why);
}

// Reads a file's status. `file` is -1 if open() failed. Errors: kCalibration.
struct stat stat_of(int file, const fs::path& path) {
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) refuse(path, errno_text(errno));
  return status;
}

// Opens a folder of the cache, and makes the folder if it is missing. If another user may have put
// files there, warns and returns nothing. The group is trusted, because a team may share a cache.
std::optional<Directory> open_own_folder(const fs::path& path) {
  make_directory(path);
  Directory folder(path);
  const struct stat status = stat_of(folder.fd(), path);
  if (const std::string why = why_distrusted(status, ::geteuid()); !why.empty()) {
    log_warning(
        "{}: {}, so this folder is not used as a cache, and {}; to use another folder, set "
        "VIRNUCPRO_CACHE",
        path.string(), why, kNotKept);
    return std::nullopt;
  }
  if ((status.st_mode & S_IWGRP) != 0)
    log_info("{}: the folder's group may write to it", path.string());
  return folder;
}

// Opens the folder of calibrations; empty, with a warning, if it cannot be used. Checks the folder
// above it first: a user who may write there could replace the folder of calibrations.
std::optional<Directory> open_cache() {
  const fs::path cache = own_cache();
  if (cache.empty()) {
    log_warning("{}: {}", kNotKept, kNoOwnCache);
    return std::nullopt;
  }
  try {
    if (!open_own_folder(cache)) return std::nullopt;
    return open_own_folder(cache / "calibrations");
  } catch (const Error& error) {
    log_warning("{}: {}", kNotKept, error.what());
    return std::nullopt;
  }
}

// Describes a file. The text changes if the file is replaced: a new file has another inode or
// change time, even if a copy kept name, size and modification time.
std::string file_text(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto time = [](const timespec& when) {
    return fmt::format("{}.{:09}", when.tv_sec, when.tv_nsec);
  };
  return fmt::format("{} {} {} {} {}\n", path.filename().string(), status.st_size, status.st_ino,
                     time(status.st_mtim), time(status.st_ctim));
}

// Identifies a model by its files' names, sizes and times, because hashing 12 GB would double the
// start time. When the models are loaded, their hashes are compared with the calibration's.
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

// Returns equal texts for all GPUs of one compute capability, because they use the same kernels.
std::string device_text(const ComputeSettings& compute) {
  if (compute.gpus.empty()) return std::string(cpu_kernel_path(compute.precision));
  const DeviceInfo device = survey_device(compute.gpus.front().index);
  return cuda_kernel_path(device, compute.generic_kernels);
}

std::string key_of(const CalibrateSettings& settings) {
  const ModelSettings& models = settings.models;
  return content_hash(model_text(ModelFamily::kDnabert, models.dnabert_s, models.lookup) +
                      model_text(ModelFamily::kEsm2, models.esm2, models.lookup) +
                      model_text(ModelFamily::kClassifier, models.classifier, models.lookup) +
                      fmt::format("{} {} {} {} {} {} {}\n", precision_name(settings.compute),
                                  settings.compute.int8_policy.text(),
                                  name_of(settings.compute.check_precision.value()),
                                  device_text(settings.compute), settings.chunk_size,
                                  settings.frames, kNumericsVersion));
}

// Reads a calibration. Errors: kCalibration.
Calibration read_from(const Directory& folder, const std::string& name) {
  const fs::path path = folder.path() / name;
  if (folder.kind_of(name) != EntryKind::kFile) refuse(path, "it is not a regular file");
  const UniqueFd file = folder.open_file(name);
  const struct stat status = stat_of(file.get(), path);
  // Accepts a file of any owner if only the folder's owner and group may write to the folder.
  const bool by_all = (stat_of(folder.fd(), path).st_mode & S_IWOTH) != 0;
  const std::string why = why_distrusted(status, by_all ? ::geteuid() : status.st_uid);
  if (!why.empty()) refuse(path, why);
  Calibration calibration = parse_calibration(
      read_small_file(file.get(), path, kMaxJsonBytes, ErrorKind::kCalibration), path);
  require_possible_margin(calibration);
  return calibration;
}

std::optional<Calibration> find(const Directory& folder, const std::string& name) {
  try {
    if (folder.kind_of(name) == EntryKind::kNone) return std::nullopt;
    return read_from(folder, name);
  } catch (const Error& error) {
    log_warning("{}; a new calibration is made", error.what());
    return std::nullopt;
  }
}

bool keep(const Directory& folder, const std::string& name, const std::string& text) {
  try {
    AtomicFile file(FilePlace(folder, name));
    file.write(text);
    file.commit();
  } catch (const Error& error) {
    std::error_code unknown;
    const bool by_another_run = fs::exists(folder.path() / name, unknown);
    if (!by_another_run) log_warning("{}: {}", kNotKept, error.what());
    return false;
  }
  return true;
}

// Sets no target for the share of equal calls, because calls within the margin are computed again.
// A target near 1 would keep so many linears in 16 bits that int8 would save no time.
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
  const std::optional<Directory> cache = open_cache();
  const std::string name = key_of(calibrating) + ".json";
  const fs::path file = cache ? cache->path() / name : fs::path();
  if (cache) {
    if (std::optional<Calibration> found = find(*cache, name)) return *std::move(found);
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
  // If a model was replaced meanwhile, the calibration may belong to the old or the new model, so
  // it is not kept.
  const bool is_of_it = key_of(calibrating) + ".json" == name;
  if (!cache || !is_of_it || !keep(*cache, name, made.json)) made.calibration.file.clear();
  return std::move(made.calibration);
}

}  // namespace virnucpro

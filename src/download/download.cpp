#include "download/download.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/steady_file.hpp"
#include "download/download_progress.hpp"
#include "download/fetch.hpp"
#include "download/http_headers.hpp"
#include "download/install.hpp"
#include "weights/model_folders.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kCopyMode = 0666;

// Errors of reading a carried file. kInputChanged is not used, because its remedy names --force,
// which download does not have.
constexpr FileErrors kCarriedErrors{ErrorKind::kInputMissing, ErrorKind::kInputRead,
                                    ErrorKind::kWeightsChanged};

struct PlannedFile {
  const TableFile* file = nullptr;
  RemoteFile remote{};
  fs::path source{};  // the carried file; empty for a download
  ExpectedFile expected{};
  bool was_whole = false;  // the local cache had the complete file during planning

  // Returns a key of the content; a partial file is continued only if the key is the same. The key
  // is the expected hash; without a hash, the URL and strong ETag of a single URL; else empty.
  std::string key() const {
    if (!expected.sha256.empty()) return expected.sha256;
    if (!expected.git_blob.empty()) return expected.git_blob;
    const bool is_of_one_url = remote.urls.size() == 1 && is_strong_etag(remote.etag);
    return is_of_one_url ? remote.urls.front() + remote.etag : std::string{};
  }
};

struct ModelPlan {
  const TableModel* model = nullptr;
  ModelPlace place{};
  std::string commit{};  // the Hugging Face repository's commit; else empty
  std::vector<PlannedFile> files{};

  const PlannedFile& of(const TableFile& file) const {
    return *std::ranges::find(files, &file, &PlannedFile::file);
  }
  static HubFile hub_file(const PlannedFile& planned) {
    return {.file = planned.file, .etag = planned.remote.etag};
  }
  fs::path partial(const PlannedFile& planned) const {
    if (place.is_hub) return hub_partial(place, planned.remote.etag);
    return plain_partial(*model, place, *planned.file, planned.key());
  }
};

std::uint64_t bytes_of(const fs::path& file) {
  std::error_code is_not_there;
  const std::uintmax_t bytes = fs::file_size(file, is_not_there);
  return is_not_there ? 0 : bytes;
}

// Throws if a plain folder has a damaged file, because a user's file is never overwritten. A
// cache's blobs may be replaced, because their names are hashes.
void refuse_damaged(const TableModel& model, const ModelFinding& finding) {
  const FileFinding* damaged = finding.damaged();
  if (damaged == nullptr || finding.place.is_hub) return;
  throw Error(ErrorKind::kOutputExists, Place{.file = damaged->path.string()},
              "it is not the published file: " + damaged->difference)
      .advised(fmt::format("Move it away, or remove it (virnucpro download --remove {}), then "
                           "download again.",
                           model.name));
}

// Warns of each damaged file, and says whether it is fetched again here or to another folder.
void warn_of_damage(const ModelFinding& finding, const ModelPlace& target) {
  const std::string follows =
      finding.place.folder == target.folder
          ? "the file is fetched anew"
          : "the file stays there, and the model is fetched to " + target.folder.string();
  for (const FileFinding& file : finding.files) {
    if (file.state != FileState::kDamaged) continue;
    log_warning("{}: it is not the published file: {}; {}", file.path.string(), file.difference,
                follows);
  }
}

std::string first_hash_note(const std::string& name, const std::string& sha256,
                            const HashRecord& record) {
  return fmt::format(
      "{} has no published SHA-256. The file's SHA-256, {}, was recorded in {}, and later "
      "downloads must match it: compare it with a source that you trust",
      name, sha256, record.file().string());
}

// Compares the server's size and hash with the expected values. Sets the unknown expected values.
void take_remote(PlannedFile& planned) {
  const auto fail = [&planned](const std::string& why) {
    throw Error(ErrorKind::kDownloadMismatch, Place{.file = planned.remote.urls.front()}, why);
  };
  ExpectedFile& expected = planned.expected;
  RemoteFile& remote = planned.remote;
  if (remote.bytes == 0U) remote.bytes.reset();  // the server does not know the size
  if (expected.bytes && remote.bytes && *expected.bytes != *remote.bytes) {
    fail(
        fmt::format("the server's file has {} bytes, expected {}", *remote.bytes, *expected.bytes));
  }
  if (!expected.bytes && remote.bytes > expected.most) {
    throw too_large_error(remote.urls.front(), expected.most);
  }
  if (!expected.bytes) expected.bytes = remote.bytes;
  if (remote.commit.empty()) return;
  ExpectedFile of_hub;
  of_hub.add_etag(remote.etag);
  const bool other_sha256 =
      !of_hub.sha256.empty() && !expected.sha256.empty() && of_hub.sha256 != expected.sha256;
  if (other_sha256) {
    fail(fmt::format("the hub has a file with the SHA-256 {}, {}", of_hub.sha256,
                     expected.sha256_text()));
  }
  expected.add_etag(remote.etag);
}

class Downloader {
 public:
  Downloader(const DownloadSettings& settings, const Cancel& cancel)
      : settings_(settings),
        cancel_(cancel),
        sources_(settings.sources, cancel),
        progress_(settings.shows_progress) {}

  std::vector<InstalledModel> fetch_all() {
    std::vector<InstalledModel> models;
    for (const TableModel& model : settings_.models) models.push_back(look(model));
    for (const InstalledModel& model : models) {
      if (!model.was_there) plans_.push_back(plan(*model.model, model.place));
    }
    carry_out();
    return models;
  }

  std::vector<InstalledModel> carry_all(const fs::path& from) {
    std::vector<InstalledModel> models;
    for (const TableModel& model : settings_.models) {
      const ModelPlace place = plain_place(carried_target(), model);
      const ModelFinding finding = examine(model, place);
      models.push_back({&model, place, finding.complete()});
      if (finding.complete()) continue;
      refuse_damaged(model, finding);
      plans_.push_back(plan_carried(model, place, from));
    }
    carry_out();
    return models;
  }

 private:
  fs::path carried_target() const {
    if (!settings_.models_dir.empty()) return settings_.models_dir;
    if (fs::path own = own_model_folder(); !own.empty()) return own;
    throw Error(ErrorKind::kUsage,
                fmt::format("the folder for the models is unknown, because {}: give --models-dir",
                            kNoOwnCache));
  }

  ModelFinding examine(const TableModel& model, const ModelPlace& place) {
    return examine_model(model, place, settings_.hashes, cancel_, progress_);
  }

  // Returns the first place with the complete model, else the place to download it to. Skips places
  // after a damaged place, because predict would not look there.
  InstalledModel look(const TableModel& model) {
    const std::vector<ModelPlace> places = places_of(model, settings_.models_dir);
    for (const ModelPlace& place : places) {
      const ModelFinding finding = examine(model, place);
      if (finding.complete()) {
        record(finding, model);
        return {&model, place, true};
      }
      if (finding.damaged() == nullptr) continue;
      if (&place == &places.front()) refuse_damaged(model, finding);
      warn_of_damage(finding, places.front());
      break;
    }
    return {&model, places.front(), false};
  }

  // Returns a plan with all files for a cache, and with the missing files for a plain folder.
  ModelPlan plan(const TableModel& model, const ModelPlace& place) {
    ModelPlan plan{.model = &model, .place = place};
    const ModelFinding finding = find_model(model, place);
    for (const FileFinding& file : finding.files) {
      if (!place.is_hub && file.state != FileState::kMissing) continue;
      PlannedFile planned{.file = file.file,
                          .remote = sources_.look_up(model, *file.file, plan.commit)};
      planned.expected = expected_file(model, *file.file, place, settings_.hashes);
      if (place.is_hub) require_own_etag(plan, planned);
      take_remote(planned);
      plan.commit = planned.remote.commit;
      if (place.is_hub) planned.was_whole = is_whole(plan, planned);
      plan.files.push_back(std::move(planned));
    }
    return plan;
  }

  // Throws if two files have the same ETag, because an ETag becomes the name of a blob.
  static void require_own_etag(const ModelPlan& plan, const PlannedFile& planned) {
    const auto is_same = [&](const PlannedFile& other) {
      return other.remote.etag == planned.remote.etag;
    };
    const auto found = std::ranges::find_if(plan.files, is_same);
    if (found == plan.files.end()) return;
    throw network_error(
        planned.remote.urls.front(),
        fmt::format("the server gives this file and {} the same ETag: try another mirror",
                    found->file->name));
  }

  bool is_whole(const ModelPlan& plan, const PlannedFile& planned) {
    const ExpectedFile& expected = planned.expected;
    const fs::path file = hub_content(plan.place, plan.commit, ModelPlan::hub_file(planned));
    if (!expected.has_hash() || !is_there(file)) return false;
    const FileHashes found = hash_shown(file, !expected.git_blob.empty(), cancel_,
                                        label_of(*plan.model, *planned.file), progress_);
    return difference(expected, found).empty();
  }

  // Returns true if the file is still complete. A file that was read in planning is not read again.
  bool is_still_whole(const ModelPlan& plan, const PlannedFile& planned) {
    if (!planned.was_whole) return is_whole(plan, planned);
    return is_there(hub_content(plan.place, plan.commit, ModelPlan::hub_file(planned)));
  }

  ModelPlan plan_carried(const TableModel& model, const ModelPlace& place, const fs::path& from) {
    ModelPlan plan{.model = &model, .place = place};
    for (const FileFinding& file : find_model(model, place).files) {
      if (file.state != FileState::kMissing) continue;
      PlannedFile planned{.file = file.file, .source = from / carried_path(model, *file.file)};
      if (!is_there(planned.source)) {
        throw Error(ErrorKind::kInputMissing, Place{.file = planned.source.string()},
                    fmt::format("the model {} needs this file", model.name));
      }
      planned.expected = expected_file(model, *file.file, place, settings_.hashes);
      if (!planned.expected.bytes) planned.expected.bytes = bytes_of(planned.source);
      plan.files.push_back(std::move(planned));
    }
    return plan;
  }

  void carry_out() {
    require_space_for_all();
    for (const ModelPlan& plan : plans_) install(plan);
  }

  // Returns the number of bytes still to fetch; unknown sizes count as 0.
  std::uint64_t bytes_needed(const ModelPlan& plan) const {
    std::uint64_t bytes = 0;
    for (const PlannedFile& file : plan.files) {
      const std::uint64_t whole = file.expected.bytes.value_or(file.file->bytes_about.value_or(0));
      const std::uint64_t there = file.was_whole ? whole : bytes_of(plan.partial(file));
      bytes += whole > there ? whole - there : 0;
    }
    return bytes;
  }

  void require_space_for_all() const {
    struct Disk {
      fs::path folder;
      std::uint64_t needed = 0;
    };
    std::map<dev_t, Disk> disks;
    for (const ModelPlan& plan : plans_) {
      fs::path folder = fs::absolute(plan.place.root);
      while (!is_there(folder) && folder != folder.parent_path()) folder = folder.parent_path();
      struct stat status {};
      if (::stat(folder.c_str(), &status) != 0) throw write_error(folder, errno);
      Disk& disk = disks[status.st_dev];
      disk.folder = folder;
      disk.needed += bytes_needed(plan);
    }
    for (const auto& [device, disk] : disks) require_space(disk.folder, disk.needed);
  }

  void install(const ModelPlan& plan) {
    const Bring bring = [&](const TableFile& file, const fs::path& partial) {
      return this->bring(plan, plan.of(file), partial);
    };
    std::map<std::string, FileHashes> brought;
    if (plan.place.is_hub) {
      std::vector<HubFile> files;
      for (const PlannedFile& file : plan.files) files.push_back(ModelPlan::hub_file(file));
      brought = install_in_hub(
          {.place = plan.place,
           .commit = plan.commit,
           .files = files,
           .is_whole = [&](const auto& file) { return is_still_whole(plan, plan.of(file)); },
           .bring = bring},
          cancel_);
    } else {
      brought = install_plain({.model = *plan.model,
                               .place = plan.place,
                               .find_missing = [&] { return still_missing(plan); },
                               .key_of = [&](const auto& file) { return plan.of(file).key(); },
                               .bring = bring},
                              cancel_);
    }
    record(plan, brought);
  }

  static std::vector<const TableFile*> still_missing(const ModelPlan& plan) {
    std::vector<const TableFile*> missing;
    for (const PlannedFile& planned : plan.files) {
      if (!is_there(plan.place.path_of(*planned.file))) missing.push_back(planned.file);
    }
    return missing;
  }

  FileHashes bring(const ModelPlan& plan, const PlannedFile& planned, const fs::path& partial) {
    const std::string name = label_of(*plan.model, *planned.file);
    const std::string from =
        planned.source.empty() ? planned.remote.urls.front() : planned.source.string();
    const std::string size =
        planned.expected.bytes ? size_text(*planned.expected.bytes) : "size not known";
    progress_.say(fmt::format("{} · {} · from {}", name, size, from));
    if (planned.key().empty()) fs::remove(partial);
    if (planned.source.empty()) {
      return fetch_file(sources_, planned.remote, planned.expected, name, partial, progress_);
    }
    return copy(planned, name, partial);
  }

  FileHashes copy(const PlannedFile& planned, const std::string& name, const fs::path& partial) {
    const SteadyFile source(planned.source, kCarriedErrors);
    const UniqueFd to =
        open_retrying(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, kCopyMode);
    if (to.get() < 0) throw write_error(partial, errno);
    progress_.begin(name, 0, source.size());
    std::uint64_t done = 0;
    source.visit({.offset = 0, .size = source.size()}, [&](std::span<const std::byte> part) {
      cancel_.check();
      if (const int error = write_all(to.get(), as_text(part)); error != 0) {
        throw write_error(partial, error);
      }
      progress_.at(done += part.size());
    });
    source.check_unchanged();
    progress_.end();
    if (::fsync(to.get()) != 0) throw write_error(partial, errno);
    FileHashes found =
        hash_shown(partial, !planned.expected.git_blob.empty(), cancel_, name, progress_);
    const std::string why = difference(planned.expected, found);
    if (why.empty()) return found;
    fs::remove(partial);
    throw Error(ErrorKind::kDownloadMismatch, Place{.file = planned.source.string()}, why);
  }

  void record(const ModelPlan& plan, const std::map<std::string, FileHashes>& brought) const {
    for (const PlannedFile& planned : plan.files) {
      const auto found = brought.find(planned.file->name);
      if (found != brought.end()) record(*plan.model, plan.place, *planned.file, found->second);
    }
  }

  // Records the hashes of files that were there already.
  void record(const ModelFinding& finding, const TableModel& model) const {
    for (const FileFinding& file : finding.files) {
      if (file.state == FileState::kUnchecked) record(model, finding.place, *file.file, file.found);
    }
  }

  void record(const TableModel& model, const ModelPlace& place, const TableFile& file,
              const FileHashes& found) const {
    if (file.has_published_hash()) return;
    const std::string name = label_of(model, file);
    HashRecord record(place.record_folder());
    if (record.find(name) == found.sha256) return;
    record.add(name, found.sha256);
    if (!settings_.hashes.contains(name)) {
      log_warning("{}", first_hash_note(name, found.sha256, record));
    }
  }

  const DownloadSettings& settings_;
  const Cancel& cancel_;
  Sources sources_;
  DownloadProgress progress_;
  std::vector<ModelPlan> plans_;
};

// The usual remedy of a write error names --output, which this command does not have.
constexpr const char* kWriteRemedy =
    "Solve that problem, or choose another folder (--models-dir DIR), then run it again: files "
    "already fetched to that folder are not fetched again.";

}  // namespace

fs::path carried_path(const TableModel& model, const TableFile& file) {
  return model.folder.empty() ? fs::path(file.name) : fs::path(model.folder) / file.name;
}

std::vector<InstalledModel> download_models(const DownloadSettings& settings,
                                            const Cancel& cancel) {
  return with_remedy(ErrorKind::kOutputWrite, kWriteRemedy,
                     [&] { return Downloader(settings, cancel).fetch_all(); });
}

std::vector<InstalledModel> install_carried(const DownloadSettings& settings, const fs::path& from,
                                            const Cancel& cancel) {
  return with_remedy(ErrorKind::kOutputWrite, kWriteRemedy,
                     [&] { return Downloader(settings, cancel).carry_all(from); });
}

ModelFinding look_at_model(const TableModel& model, const DownloadSettings& settings,
                           const Cancel* cancel) {
  std::optional<ModelFinding> best;
  for (const ModelPlace& place : places_of(model, settings.models_dir)) {
    ModelFinding finding = find_model(model, place);
    if (!best || finding.complete() || (best->nothing() && !finding.nothing())) best = finding;
    if (finding.complete()) break;
  }
  if (cancel == nullptr) return *best;
  DownloadProgress progress(settings.shows_progress);
  return examine_model(model, best->place, settings.hashes, *cancel, progress);
}

}  // namespace virnucpro

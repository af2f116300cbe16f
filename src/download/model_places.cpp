#include "download/model_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "weights/locate.hpp"
#include "weights/model_folders.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestReference = 1024;
constexpr std::uint64_t kMostClassifierBytes = std::uint64_t{1} << 30U;

const fs::path& required(const fs::path& folder, const char* what) {
  if (!folder.empty()) return folder;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no environment variable, not even HOME, says where {} is: give --models-dir",
                  what));
}

// Returns the byte limit for a file's type. JSON above its limit could not be read later.
std::uint64_t most_of_kind(const TableModel& model, const TableFile& file) {
  if (file.name.ends_with(".json")) return kMaxJsonBytes;
  const PublishedModel* known = find_published(model.name);
  const bool is_classifier = known != nullptr && known->family == ModelFamily::kClassifier;
  return is_classifier ? kMostClassifierBytes : kMostWeightBytes;
}

// Returns the limit for a file whose exact size is not published.
std::uint64_t most_bytes(const TableModel& model, const TableFile& file) {
  if (!file.bytes_about) return most_of_kind(model, file);
  return *file.bytes_about + *file.bytes_about / kOfARoundedSize;
}

// Adds the hash that is the blob's name, because a blob is named after its content.
void add_blob_name(ExpectedFile& expected, const fs::path& path) {
  std::error_code is_no_link;
  const fs::path blob = fs::read_symlink(path, is_no_link);
  if (!is_no_link) expected.add_etag(blob.filename().string());
}

void examine(const TableModel& model, const ModelPlace& place, const GivenHashes& given,
             const Cancel& cancel, DownloadProgress& progress, FileFinding& finding) {
  ExpectedFile expected = expected_file(model, *finding.file, place, given);
  if (place.is_hub) add_blob_name(expected, finding.path);
  finding.found = hash_shown(finding.path, !expected.git_blob.empty(), cancel,
                             label_of(model, *finding.file), progress);
  finding.difference = difference(expected, finding.found);
  if (!finding.difference.empty()) {
    finding.state = FileState::kDamaged;
  } else {
    finding.state = expected.has_hash() ? FileState::kWhole : FileState::kUnchecked;
  }
}

}  // namespace

fs::path hub_snapshot(const ModelPlace& place) {
  const fs::path main = place.folder / "refs" / "main";
  if (!is_there(main)) return {};
  std::string commit = read_small_text(main, kLongestReference, ErrorKind::kWeightsMissing);
  commit.erase(commit.find_last_not_of(" \r\n") + 1);
  return is_file_name(commit) ? place.folder / "snapshots" / commit : fs::path{};
}

fs::path ModelPlace::path_of(const TableFile& file) const {
  if (!is_hub) return folder / file.name;
  const fs::path snapshot = hub_snapshot(*this);
  return snapshot.empty() ? snapshot : snapshot / file.name;
}

fs::path ModelPlace::shown(const TableModel& model) const {
  if (is_hub) return hub_snapshot(*this);
  return model.folder.empty() && model.files.size() == 1 ? path_of(model.files.front()) : folder;
}

ModelPlace plain_place(const fs::path& root, const TableModel& model) {
  return {
      .is_hub = false, .root = root, .folder = model.folder.empty() ? root : root / model.folder};
}

std::vector<ModelPlace> places_of(const TableModel& model, const fs::path& models_dir) {
  if (!models_dir.empty()) return {plain_place(models_dir, model)};
  std::vector<ModelPlace> places;
  if (model.source == ModelSource::kHuggingFace) {
    const fs::path cache = required(hugging_face_cache(), "the Hugging Face cache");
    places.push_back(
        {.is_hub = true, .root = cache, .folder = cache / hub_folder(model.repository)});
  }
  if (model.source == ModelSource::kFairEsm) {
    const fs::path cache = required(torch_hub_cache(), "torch hub's cache");
    places.push_back({.is_hub = false, .root = cache, .folder = cache});
  }
  const fs::path own = own_model_folder();
  if (places.empty()) required(own, "the folder of models");
  if (!own.empty()) places.push_back(plain_place(own, model));
  return places;
}

bool ModelFinding::complete() const {
  return std::ranges::all_of(files, [](const FileFinding& file) {
    return file.state == FileState::kWhole || file.state == FileState::kUnchecked;
  });
}

bool ModelFinding::nothing() const {
  return std::ranges::all_of(
      files, [](const FileFinding& file) { return file.state == FileState::kMissing; });
}

const FileFinding* ModelFinding::damaged() const {
  const auto found = std::ranges::find(files, FileState::kDamaged, &FileFinding::state);
  return found == files.end() ? nullptr : &*found;
}

std::string label_of(const TableModel& model, const TableFile& file) {
  return model.name + "/" + file.name;
}

ExpectedFile expected_file(const TableModel& model, const TableFile& file, const ModelPlace& place,
                           const GivenHashes& given) {
  const std::string name = label_of(model, file);
  ExpectedFile expected{.bytes = file.bytes,
                        .bytes_about = file.bytes_about,
                        .most = most_bytes(model, file),
                        .sha256 = file.sha256,
                        .git_blob = file.git_blob};
  if (const auto own = given.find(name); own != given.end()) {
    expected.sha256 = own->second;
  } else if (!file.has_published_hash()) {
    const HashRecord record(place.record_folder());
    expected.sha256 = record.find(name);
    if (!expected.sha256.empty()) expected.record_entry = record.entry(name);
  }
  return expected;
}

ModelFinding find_model(const TableModel& model, const ModelPlace& place) {
  ModelFinding finding{.place = place};
  for (const TableFile& file : model.files) {
    FileFinding of_file{.file = &file, .path = place.path_of(file)};
    const bool there = !of_file.path.empty() && is_there(of_file.path);
    of_file.state = there ? FileState::kUnchecked : FileState::kMissing;
    finding.files.push_back(std::move(of_file));
  }
  return finding;
}

ModelFinding examine_model(const TableModel& model, const ModelPlace& place,
                           const GivenHashes& given, const Cancel& cancel,
                           DownloadProgress& progress) {
  ModelFinding finding = find_model(model, place);
  for (FileFinding& file : finding.files) {
    if (file.state != FileState::kMissing) examine(model, place, given, cancel, progress, file);
  }
  return finding;
}

}  // namespace virnucpro

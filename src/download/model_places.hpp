#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "download/download_progress.hpp"
#include "download/file_hashes.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {

// A place where a model's files are, or where they will be installed.
struct ModelPlace {
  bool is_hub = false;           // has the layout of a Hugging Face cache
  std::filesystem::path root;    // the cache, or the plain folder of models
  std::filesystem::path folder;  // the model's folder; may be `root` itself

  // Returns a file's path. In a hub, it is a path in hub_snapshot(), and empty without a snapshot.
  std::filesystem::path path_of(const TableFile& file) const;
  // Returns the folder that has the record of hashes (HashRecord).
  const std::filesystem::path& record_folder() const { return is_hub ? folder : root; }
  // Returns the path to give to `predict`: the snapshot, the folder, or the only file.
  std::filesystem::path shown(const TableModel& model) const;
};

// Returns the snapshot that refs/main names, else "". Errors: kWeightsMissing if reading fails.
std::filesystem::path hub_snapshot(const ModelPlace& place);

ModelPlace plain_place(const std::filesystem::path& root, const TableModel& model);
// Returns the places where predict looks for a model; a download uses the first place. If
// `models_dir` is given, it is the only place. Otherwise the places are the cache of the Python
// tools, so that all programs share one copy (12 GB), and this program's own folder. Errors: kUsage
// if no environment variable names a place, not even HOME.
std::vector<ModelPlace> places_of(const TableModel& model, const std::filesystem::path& models_dir);

enum class FileState : std::uint8_t {
  kMissing,
  kWhole,      // size and hash are as expected
  kUnchecked,  // the file exists, but no hash is known
  kDamaged,    // the file exists, but differs from the expected file
};

// Returns a file's name for messages, --sha256 and HashRecord: "dnabert-s/config.json".
std::string label_of(const TableModel& model, const TableFile& file);

// Hashes that the user gave, by label_of(). A given hash replaces any other.
using GivenHashes = std::map<std::string, std::string>;

struct FileFinding {
  const TableFile* file = nullptr;
  std::filesystem::path path{};
  FileState state = FileState::kMissing;
  FileHashes found{};
  std::string difference{};  // how a damaged file differs
};

struct ModelFinding {
  ModelPlace place;
  std::vector<FileFinding> files{};

  bool complete() const;               // every file is whole or unchecked
  bool nothing() const;                // every file is missing
  const FileFinding* damaged() const;  // the first damaged file, or nullptr
};

// Returns a file's expected size and hashes, from the table, the user and the record.
ExpectedFile expected_file(const TableModel& model, const TableFile& file, const ModelPlace& place,
                           const GivenHashes& given);

// Finds which files exist, without reading them.
ModelFinding find_model(const TableModel& model, const ModelPlace& place);
// Reads every file that exists, and compares it with its expected size and hashes.
ModelFinding examine_model(const TableModel& model, const ModelPlace& place,
                           const GivenHashes& given, const Cancel& cancel,
                           DownloadProgress& progress);

}  // namespace virnucpro

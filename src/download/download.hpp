#pragma once

#include <filesystem>
#include <vector>

#include "base/cancel.hpp"
#include "download/model_places.hpp"
#include "download/sources.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {

struct DownloadSettings {
  std::vector<TableModel> models;
  std::filesystem::path models_dir{};  // empty: the default places
  GivenHashes hashes{};
  SourceSettings sources{};
  bool shows_progress = true;
};

// A model that is now complete.
struct InstalledModel {
  const TableModel* model = nullptr;
  ModelPlace place{};
  bool was_there = false;
};

// Downloads the models to the places where predict looks for them. Existing files are hashed each
// time, because a stored hash would not show later damage. Hashing takes seconds. Only missing
// files are fetched, and a file gets its name only when it is complete. Errors: kNetwork;
// kDownloadMismatch; kNoSpace, before the first byte; kOutputExists for a file of other content in
// a plain folder; kOutputWrite; those of Cancel.
std::vector<InstalledModel> download_models(const DownloadSettings& settings, const Cancel& cancel);

// Installs files that a user copied from a machine with a network. `from` has the layout of
// predict's --models-dir. The files go to `models_dir` or this program's own folder, but not to a
// Hugging Face cache, which needs a commit from the network. Errors: kInputMissing; those
// of download_models().
std::vector<InstalledModel> install_carried(const DownloadSettings& settings,
                                            const std::filesystem::path& from,
                                            const Cancel& cancel);

// Returns a file's path within `from` of install_carried(): "DNABERT-S/config.json".
std::filesystem::path carried_path(const TableModel& model, const TableFile& file);

// Looks for a model in its places. Returns the first place with all its files, else the first place
// with some of its files, else the first place. Reads every file if `cancel` is not null.
ModelFinding look_at_model(const TableModel& model, const DownloadSettings& settings,
                           const Cancel* cancel);

}  // namespace virnucpro

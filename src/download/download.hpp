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

// A model that is there now.
struct InstalledModel {
  const TableModel* model = nullptr;
  ModelPlace place{};
  bool was_there = false;
};

// Brings the models to where predict finds them. It hashes every file that is there: that takes
// seconds, and a stored note could be older than the damage. It fetches the rest, nothing twice. No
// file has its name before it is whole. Errors: kNetwork; kDownloadMismatch; kNoSpace, before the
// first byte; kOutputExists for a file of another content in a plain folder; kOutputWrite;
// Cancel's.
std::vector<InstalledModel> download_models(const DownloadSettings& settings, const Cancel& cancel);

// Installs files that were carried by hand from a machine with a network. The folder is laid out as
// for predict's --models-dir. They go to `models_dir` or this program's own folder: a Hugging Face
// cache needs a commit, which nobody knows without a network. Errors: also kInputMissing.
std::vector<InstalledModel> install_carried(const DownloadSettings& settings,
                                            const std::filesystem::path& from,
                                            const Cancel& cancel);

// The place of a file in such a folder: "DNABERT-S/config.json".
std::filesystem::path carried_path(const TableModel& model, const TableFile& file);

// Looks for a model in its places: returns the first that has all of it, else the first that has
// any of it, else the first. With `cancel` every file is read.
ModelFinding look_at_model(const TableModel& model, const DownloadSettings& settings,
                           const Cancel* cancel);

}  // namespace virnucpro

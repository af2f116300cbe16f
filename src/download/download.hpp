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
  std::filesystem::path models_dir{};  // empty for the default places
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

// Brings the models to the places where predict finds them. It hashes every file that is there,
// which takes seconds, as a stored note could be older than the damage. It fetches the rest, and no
// file twice. No file has its name before it is whole. Errors: kNetwork; kDownloadMismatch;
// kNoSpace, before the first byte; kOutputExists for a file of other content in a plain folder;
// kOutputWrite; those of Cancel.
std::vector<InstalledModel> download_models(const DownloadSettings& settings, const Cancel& cancel);

// Installs files that were carried by hand from a machine with a network. The folder is laid out as
// for predict's --models-dir. The files go to `models_dir` or this program's own folder: a Hugging
// Face cache needs a commit, which is unknown without a network. Errors: also kInputMissing.
std::vector<InstalledModel> install_carried(const DownloadSettings& settings,
                                            const std::filesystem::path& from,
                                            const Cancel& cancel);

// Returns a file's path in a carried folder: "DNABERT-S/config.json".
std::filesystem::path carried_path(const TableModel& model, const TableFile& file);

// Looks for a model in its places. Returns the first place that has the whole model, else the first
// that has a part of it, else the first. Reads every file if `cancel` is not null.
ModelFinding look_at_model(const TableModel& model, const DownloadSettings& settings,
                           const Cancel* cancel);

}  // namespace virnucpro

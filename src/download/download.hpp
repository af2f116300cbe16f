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

// Brings the models to where predict finds them. What is there is read and compared with what is
// known of it; the rest is fetched, and whatever was fetched once is not fetched again. Nothing is
// visible under its name before it is whole. Errors: kNetwork; kDownloadMismatch; kNoSpace, before
// the first byte; kOutputExists for a file of another content in a plain folder; kOutputWrite;
// Cancel's.
std::vector<InstalledModel> download_models(const DownloadSettings& settings, const Cancel& cancel);

// The same with files from a folder, laid out as one for predict's --models-dir: what was carried
// by hand from a machine with a network. They go to `models_dir`, or this program's own folder, as
// nobody here knows the commit that a Hugging Face cache would name. Errors: also kInputMissing.
std::vector<InstalledModel> install_carried(const DownloadSettings& settings,
                                            const std::filesystem::path& from,
                                            const Cancel& cancel);

// Where a file lies in such a folder: "DNABERT-S/config.json".
std::filesystem::path carried_path(const TableModel& model, const TableFile& file);

// What is there of a model: the first place that has all of it, else the first that has any of it,
// else the first. With `cancel` every file is read.
ModelFinding look_at_model(const TableModel& model, const DownloadSettings& settings,
                           const Cancel* cancel);

}  // namespace virnucpro

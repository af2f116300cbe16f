#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/load.hpp"

namespace virnucpro {

enum class ModelFamily : std::uint8_t { kEsm2, kDnabert, kClassifier };

// A published model and its names, which all commands, the help and completion take from here. An
// empty name means that it has none.
struct PublishedModel {
  ModelFamily family;
  std::array<std::string_view, 3> aliases;  // the first is its name in a plain folder
  std::string_view repository{};            // "organisation/name" on Hugging Face
  std::string_view torch_file{};            // in torch hub's checkpoints
  std::string_view download{};              // in models.json
};

std::span<const PublishedModel> published_models();
std::vector<std::string_view> names_of(const PublishedModel& model);
std::vector<std::string_view> download_names();  // those in models.json
// Returns the model that has this name, or nullptr.
const PublishedModel* find_published(std::string_view name);
// Returns the model of this family that a name or a path's last part names, or nullptr.
const PublishedModel* published_model(ModelFamily family, const std::string& model);

// Finds the model that the user named: the path itself if it exists. Otherwise, for a published
// name, the first place that has it: model directory (also a directory or file of that name),
// Hugging Face cache, torch hub cache, this program's own folder. Nothing is downloaded. Errors:
// kWeightsMissing; the log says (-v) where it looked.
std::filesystem::path locate_model(ModelFamily family, const std::string& model,
                                   const ModelLookup& lookup);

// is_there() for a file of a model. Errors: kWeightsMissing for a link whose target is gone, as in
// a Hugging Face cache that was cleaned, or copied without its blobs.
bool is_model_file(const std::filesystem::path& path);

}  // namespace virnucpro

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

// A published model and its names. All commands, the help and completion use these names. A name is
// empty if the model has no such name.
struct PublishedModel {
  ModelFamily family;
  std::array<std::string_view, 3> aliases;  // the first is its name in this program's own folder
  std::string_view repository{};            // "organisation/name" on Hugging Face
  std::string_view torch_file{};            // the file's name in torch hub's checkpoints
  std::string_view download{};              // its name in models.json
};

std::span<const PublishedModel> published_models();
std::vector<std::string_view> names_of(const PublishedModel& model);
std::vector<std::string_view> download_names();  // the names in models.json
// Returns the model that has this name, or nullptr.
const PublishedModel* find_published(std::string_view name);
// Returns this family's model whose name is the last part of the path `model`, or nullptr.
const PublishedModel* published_model(ModelFamily family, const std::string& model);

// Returns the path of the model that the user named: `model` itself if that path exists. Otherwise
// looks in the model directory, then (only for published names) in the caches of Hugging Face and
// torch hub, then in this program's own folder. Nothing is downloaded. Errors: kWeightsMissing;
// with -v the log lists all places searched.
std::filesystem::path locate_model(ModelFamily family, const std::string& model,
                                   const ModelLookup& lookup);

// True if `path` exists, as is_there() tests it. Errors: kWeightsMissing for a link without a
// target, which occurs in a Hugging Face cache that was cleaned or copied without its blobs.
bool is_model_file(const std::filesystem::path& path);

}  // namespace virnucpro

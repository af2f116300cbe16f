#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "weights/load.hpp"

namespace virnucpro {

// A published model and the names that caches and users have for it.
struct PublishedModel {
  std::array<std::string_view, 4> aliases;  // what users write; empty: none
  std::string_view repository;              // "organisation/name" on Hugging Face; empty: none
  std::string_view torch_file;              // in torch hub's checkpoints; empty: none
};

enum class ModelFamily : std::uint8_t { kEsm2, kDnabert, kClassifier };

std::span<const PublishedModel> published_models(ModelFamily family);
// The published model that a name or the last part of a path names; nullptr: none.
const PublishedModel* published_model(ModelFamily family, const std::string& model);

// Finds the model that the user named: the path itself if it exists. Otherwise, for a published
// name, the first place that has it: model directory (also a directory or file of that name),
// Hugging Face cache, torch hub cache, this program's own folder. Nothing is downloaded. Errors:
// kWeightsMissing, listing every place where it looked.
std::filesystem::path locate_model(ModelFamily family, const std::string& model,
                                   const ModelLookup& lookup);

}  // namespace virnucpro

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "weights/load.hpp"

namespace virnucpro {

// A published model, and the names under which caches and users know it.
struct PublishedModel {
  std::array<std::string_view, 4> aliases;  // what users write; empty: none
  std::string_view repository;              // "organisation/name" on Hugging Face; empty: none
  std::string_view torch_file;              // in torch hub's checkpoints; empty: none
};

enum class ModelFamily : std::uint8_t { kEsm2, kDnabert, kClassifier };

std::span<const PublishedModel> published_models(ModelFamily family);

// Where the model that the user named lies: the path itself where it exists; else, for a published
// name (a directory or file of that name in the model directory also counts), the first of
// model directory, Hugging Face cache, torch hub cache that has it. Nothing is downloaded.
// Errors: kWeightsMissing listing every place that was looked at.
std::filesystem::path locate_model(ModelFamily family, const std::string& model,
                                   const ModelLookup& lookup);

}  // namespace virnucpro

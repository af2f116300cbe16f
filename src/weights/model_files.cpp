#include "weights/model_files.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "weights/locate.hpp"
#include "weights/model_config.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

struct WeightFile {
  std::string_view name;
  bool is_index;
};

constexpr std::array kWeightFiles{
    WeightFile{"model.safetensors", false},
    WeightFile{"model.safetensors.index.json", true},
    WeightFile{"pytorch_model.bin", false},
    WeightFile{"pytorch_model.bin.index.json", true},
};

std::vector<fs::path> files_of(const fs::path& directory) {
  for (const WeightFile& candidate : kWeightFiles) {
    const fs::path path = directory / candidate.name;
    if (!is_model_file(path)) continue;
    if (!candidate.is_index) return {path};
    const std::string json = read_small_text(path, kMaxJsonBytes, ErrorKind::kJson);
    std::vector<fs::path> shards;
    for (const std::string& name : parse_shard_index(json, path.string())) {
      shards.push_back(directory / name);
    }
    return shards;
  }
  std::string names;
  for (const WeightFile& candidate : kWeightFiles) names += fmt::format(" {}", candidate.name);
  throw Error(ErrorKind::kWeightsMissing, Place{.file = directory.string()},
              "the directory has none of these files:" + names);
}

void add_file(ModelFiles& model, const fs::path& path) {
  is_model_file(path);  // throws for a broken link, because SteadyFile's error would be less clear
  const auto file = std::make_shared<const SteadyFile>(path, kWeightsErrors);
  TensorArchive archive = parse_archive(*file);
  model.kind = archive.kind;
  model.root_class = archive.root_class;
  model.synthetic = model.synthetic || is_synthetic(archive.origin);
  model.settings.merge(archive.settings);
  for (StoredTensor& tensor : archive.tensors) {
    const std::string name = tensor.name;
    const auto [place, added] = model.tensors.emplace(name, LocatedTensor{std::move(tensor), file});
    if (!added) {
      throw Error(
          ErrorKind::kWeightsFormat, Place{.file = path.string(), .tensor = name},
          "two shards have this tensor; the other shard is " + place->second.file->path().string());
    }
  }
}

}  // namespace

ModelFiles open_model_files(const fs::path& path) {
  ModelFiles model;
  model.path = path;
  const bool is_directory = fs::is_directory(status_of(path));
  model.directory = is_directory ? path : path.parent_path();
  model.files = is_directory ? files_of(path) : std::vector<fs::path>{path};
  for (const fs::path& file : model.files) add_file(model, file);

  const fs::path config = model.directory / "config.json";
  model.has_config = is_model_file(config);
  if (model.has_config) {
    const std::string json = read_small_text(config, kMaxJsonBytes, ErrorKind::kJson);
    model.settings.merge(parse_model_config(json, config.string()));
  }
  return model;
}

}  // namespace virnucpro

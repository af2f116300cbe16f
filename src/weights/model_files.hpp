#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/steady_file.hpp"
#include "weights/tensor_archive.hpp"

namespace virnucpro {

struct LocatedTensor {
  StoredTensor tensor;
  std::shared_ptr<const SteadyFile> file;
};

// A model on disk: one file, or a directory with config.json and one or more files.
struct ModelFiles {
  std::filesystem::path path;
  std::filesystem::path directory;  // the folder of config.json and tokenizer.json
  std::vector<std::filesystem::path> files;
  ArchiveKind kind = ArchiveKind::kSafetensors;
  std::string root_class;  // the class of a pickled module
  bool synthetic = false;  // a file says that its numbers are synthetic
  bool has_config = false;
  Settings settings;
  std::map<std::string, LocatedTensor, std::less<>> tensors;
};

// Opens a model. If `path` is a directory, opens the first of these files that exists:
// model.safetensors, model.safetensors.index.json, pytorch_model.bin, pytorch_model.bin.index.json.
// A config.json in the directory, or beside a file, adds settings; settings inside the file take
// precedence. Errors: kWeightsMissing and the other kWeights*, kPickleForbidden, kPickleTooLarge,
// kJson.
ModelFiles open_model_files(const std::filesystem::path& path);

}  // namespace virnucpro

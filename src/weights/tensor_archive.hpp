#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/steady_file.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {

// Facts about a model besides its tensors: members of config.json or of fair-esm's cfg, or the
// numbers in a pickled module ("bn1.eps").
using Setting = std::variant<bool, std::int64_t, double, std::string>;
using Settings = std::map<std::string, Setting, std::less<>>;

enum class ArchiveKind : std::uint8_t { kSafetensors, kTorchZip };

// The tensors of one file, with the names that the file gives them.
struct TensorArchive {
  ArchiveKind kind = ArchiveKind::kSafetensors;
  std::string root_class{};  // of a pickled module: "__main__.MLPClassifier"
  std::string origin{};      // of synthetic weights in a safetensors file
  Settings settings{};
  std::vector<StoredTensor> tensors{};
};

// Recognises a file's format by its content and parses it. Errors: the kWeights* family,
// kPickleForbidden, kPickleTooLarge, kJson; those of reading the file.
TensorArchive parse_archive(const SteadyFile& file);

// Parses a ZIP of torch.save: data.pkl and the storages. It returns the tensors of a module
// (buffers and parameters, dotted names), of a dict's member "model" (fair-esm), or of the dict
// itself.
TensorArchive parse_torch_zip(const SteadyFile& file);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace virnucpro {

// A checkpoint of virnucpro v2: a file of torch.save with a dict that has `data`. Empty where the
// file does not say it, or was not read.
struct TorchCheckpoint {
  std::string version{};
  std::string status{};  // "complete", "in_progress"
};

// v2's checkpoints in a folder, sorted: its files *.pt, and those of its folders checkpoints,
// .checkpoints and shard_*. Links to folders are not followed. Empty where there is no such folder.
// Errors: kInputMissing where a folder cannot be read.
std::vector<std::filesystem::path> find_torch_checkpoints(const std::filesystem::path& folder);

// Checks what v2 did: the file is not empty, a ZIP, and can be read as such a dict; its checksums,
// too. The bounded readers of weights/ read it as data, and nothing in it is executed. Not `whole`:
// only the first two. Memory: as open_torch_embeddings(). Errors: those of an input, the kWeights*
// family, kPickleForbidden.
TorchCheckpoint check_torch_checkpoint(const std::filesystem::path& path, bool whole);

}  // namespace virnucpro

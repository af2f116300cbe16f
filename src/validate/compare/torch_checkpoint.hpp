#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace virnucpro {

// v2 also called checkpoints corrupted or incompatible.
enum class CheckpointState : std::uint8_t {
  kWhole,
  kNotLoaded,     // it holds data that is not read here, and may be whole
  kCorrupted,     // it is empty, no ZIP, or does not load
  kIncompatible,  // it loads, and is not such a dict
};

// A checkpoint of virnucpro v2: a file of torch.save with a dict that has `data`, or `embeddings`
// and `sequence_ids` as v2's own writer saved them.
struct TorchCheckpoint {
  CheckpointState state = CheckpointState::kWhole;
  std::string why{};  // it is not whole
  // Empty where the file does not say it, or was not read.
  std::string version{};
  std::string status{};  // "complete", "in_progress"
};

// Returns v2's checkpoints in a folder, sorted: names that end in .pt there, and in its folders
// checkpoints, .checkpoints and shard_*. Links to folders are not followed. Empty if there is no
// such folder. Errors: kInputMissing if a folder cannot be read.
std::vector<std::filesystem::path> find_torch_checkpoints(const std::filesystem::path& folder);

// Checks what v2 did: the file is not empty, a ZIP, and such a dict; checksums, too. Without
// `whole` it checks only the first two. The bounded readers of weights/ read it as data: nothing in
// it is executed. Memory: 0.4 GiB for 10,000 lists of ESM-2 3B, at most 3 GiB for a hostile file (a
// pickle of 256 MiB, of at most 8 million values, floats not counted).
// Errors: only those that do not concern the file, such as a lack of memory.
TorchCheckpoint check_torch_checkpoint(const std::filesystem::path& path, bool whole);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace virnucpro {

// The states of a checkpoint. "Corrupted" and "incompatible" are v2's own terms.
enum class CheckpointState : std::uint8_t {
  kWhole,
  kNotLoaded,     // has data that this program does not read, but may be whole
  kCorrupted,     // empty, not a ZIP, or does not load
  kIncompatible,  // loads, but is not the dict of a checkpoint
};

// A checkpoint of virnucpro v2: a file of torch.save with a dict. The dict must have the key
// `data`, or both `embeddings` and `sequence_ids`. v2 writes the second form.
struct TorchCheckpoint {
  CheckpointState state = CheckpointState::kWhole;
  std::string why{};  // the reason why the checkpoint is not whole
  // Empty if the checkpoint does not name its version and status, or was not read.
  std::string version{};
  std::string status{};  // "complete", "in_progress"
};

// Returns v2's checkpoints, sorted: paths that end in .pt, in `folder` and in its folders
// checkpoints, .checkpoints and shard_*. Links to folders are not followed. Empty if `folder` does
// not exist. Errors: kInputMissing if a folder cannot be read.
std::vector<std::filesystem::path> find_torch_checkpoints(const std::filesystem::path& folder);

// Checks, as v2 did, that the file is not empty, is a ZIP, and holds the dict of a checkpoint; also
// compares checksums. Without `whole`, skips dict and checksums. The bounded readers of weights/
// read the file as data: nothing in it is executed. Memory: 0.4 GiB for 10,000 embeddings of ESM-2
// 3B as lists, at most 3 GiB for a hostile file (a pickle of 256 MiB, of at most 8 million values,
// floats not counted). Errors: only those that do not concern the file, such as a lack of memory.
TorchCheckpoint check_torch_checkpoint(const std::filesystem::path& path, bool whole);

}  // namespace virnucpro

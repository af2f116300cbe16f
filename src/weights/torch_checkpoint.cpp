#include "weights/torch_checkpoint.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/steady_file.hpp"
#include "weights/torch_file.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 3;  // levels of folders; checkpoints/shard_0 is on the second

bool holds_checkpoints(const std::string& name) {
  return name == "checkpoints" || name == ".checkpoints" || name.starts_with("shard_");
}

void collect(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // on an error the path counts as a file
    const bool is_folder = fs::is_directory(entry->symlink_status(unknown));
    const fs::path& path = entry->path();
    if (path.extension() == ".pt") found.push_back(path);  // also a folder: it counts as corrupted
    if (is_folder && depth < kDeepestFolder && holds_checkpoints(path.filename().string())) {
      collect(path, depth + 1, found);
    }
  }
  if (!error || error == std::errc::no_such_file_or_directory) return;
  throw Error(ErrorKind::kInputMissing, Place{.file = folder.string()}, error.message());
}

// These limits allow 10,000 lists of 2,560 floats; a float takes 9 bytes.
constexpr PickleLimits kCheckpointLimits{
    .bytes = 256U << 20U, .values = 1U << 23U, .keeps_floats = false};

TorchCheckpoint corrupted(std::string why) {
  return {.state = CheckpointState::kCorrupted, .why = std::move(why)};
}

bool is_such_a_dict(const PickleDocument& document) {
  const PickleNode& root = document[document.root];
  const auto has = [&](std::string_view key) { return document.member(root, key) != nullptr; };
  return has("data") || (has("embeddings") && has("sequence_ids"));
}

std::string text_of_member(const PickleDocument& document, std::string_view name) {
  const PickleNode* member = document.member(document[document.root], name);
  if (member == nullptr || member->type != PickleType::kString) return {};
  return std::string(member->text);
}

TorchCheckpoint read_checkpoint(const fs::path& path, bool whole) {
  std::error_code unknown;  // on an error, opening the path below says why
  if (fs::is_directory(path, unknown)) return corrupted("the path is a folder");
  const SteadyFile file(path);
  if (file.size() == 0) return corrupted("the file is empty");
  if (!whole) {
    read_zip(file);
    return {};
  }
  const TorchFile torch(file, kCheckpointLimits, checkpoint_globals());
  torch.check_members();
  const PickleDocument& document = torch.document();
  if (!is_such_a_dict(document)) {
    return {.state = CheckpointState::kIncompatible,
            .why =
                "the file's content is not a dict with the key data, or with the keys embeddings "
                "and sequence_ids"};
  }
  return {.version = text_of_member(document, "version"),
          .status = text_of_member(document, "status")};
}

std::string reason_in(const Error& error) {
  if (error.kind() == ErrorKind::kPickleForbidden) {
    return "the file holds more than plain data: " + error.detail();
  }
  return error.detail().empty() ? std::string(error.info().summary) : error.detail();
}

// Turns a reading error into a state. Throws the error if the file is not the cause.
TorchCheckpoint state_of(const Error& error) {
  const ErrorKind kind = error.kind();
  if (kind == ErrorKind::kPickleForbidden || kind == ErrorKind::kPickleTooLarge) {
    return {.state = CheckpointState::kNotLoaded, .why = reason_in(error)};
  }
  if (!error.is(ErrorClass::kFile)) throw error;
  return corrupted(reason_in(error));
}

}  // namespace

std::vector<fs::path> find_torch_checkpoints(const fs::path& folder) {
  std::vector<fs::path> found;
  collect(folder, 0, found);
  std::sort(found.begin(), found.end());
  return found;
}

TorchCheckpoint check_torch_checkpoint(const fs::path& path, bool whole) {
  try {
    return read_checkpoint(path, whole);
  } catch (const Error& error) {
    return state_of(error);
  }
}

}  // namespace virnucpro

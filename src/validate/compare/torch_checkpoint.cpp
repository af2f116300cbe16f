#include "validate/compare/torch_checkpoint.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/steady_file.hpp"
#include "validate/compare/embedding_reader.hpp"
#include "weights/torch_file.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 3;  // checkpoints/shard_0 is the second

bool holds_checkpoints(const std::string& name) {
  return name == "checkpoints" || name == ".checkpoints" || name.starts_with("shard_");
}

void collect(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // then it counts as a file
    const bool is_folder = fs::is_directory(entry->symlink_status(unknown));
    const fs::path& path = entry->path();
    if (!is_folder && path.extension() == ".pt") found.push_back(path);
    if (is_folder && depth < kDeepestFolder && holds_checkpoints(path.filename().string())) {
      collect(path, depth + 1, found);
    }
  }
  if (!error || error == std::errc::no_such_file_or_directory) return;
  throw Error(ErrorKind::kInputMissing, Place{.file = folder.string()}, error.message());
}

[[noreturn]] void fail_checkpoint(const fs::path& path, const char* why) {
  throw Error(ErrorKind::kInputMalformed, Place{.file = path.string()}, why);
}

std::string text_of_member(const PickleDocument& document, std::string_view name) {
  const PickleNode* member = document.member(document[document.root], name);
  if (member == nullptr || member->type != PickleType::kString) return {};
  return std::string(member->text);
}

}  // namespace

std::vector<fs::path> find_torch_checkpoints(const fs::path& folder) {
  std::vector<fs::path> found;
  collect(folder, 0, found);
  std::sort(found.begin(), found.end());
  return found;
}

TorchCheckpoint check_torch_checkpoint(const fs::path& path, bool whole) {
  const SteadyFile file(path);
  if (file.size() == 0) fail_checkpoint(path, "it is empty");
  if (!whole) {
    read_zip(file);
    return {};
  }
  const TorchFile torch(file, kTorchEmbeddingLimits);
  torch.check_members();
  const PickleDocument& document = torch.document();
  if (document.member(document[document.root], "data") == nullptr) {
    fail_checkpoint(path, "it is no dict with data");
  }
  return {.version = text_of_member(document, "version"),
          .status = text_of_member(document, "status")};
}

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "download/file_hashes.hpp"
#include "download/model_places.hpp"

namespace virnucpro {

// A lock between processes (flock) on a file made for it, as huggingface_hub has beside its blobs.
// On a file system without locks it does nothing.
class DownloadLock {
 public:
  // Waits while another process holds the lock. Errors: kOutputWrite; those of Cancel.
  DownloadLock(const std::filesystem::path& file, const Cancel& cancel);

  const std::filesystem::path& file() const { return file_; }

 private:
  bool try_once();

  std::filesystem::path file_;
  UniqueFd fd_;
};

// Completes `partial`, which may hold the file's beginning; then verifies and syncs the file.
using Bring =
    std::function<FileHashes(const TableFile& file, const std::filesystem::path& partial)>;

// A file of a hub; `etag` is the name of its content among the blobs.
struct HubFile {
  const TableFile* file = nullptr;
  std::string etag{};
};

// Puts a model into a Hugging Face cache, as huggingface_hub lays it out. First every whole blob
// gets its name, then the snapshot gets its links, then refs/main names the snapshot. So predict
// sees the model only when all of it is there. Without symbolic links, the blobs themselves move
// into the snapshot, as with huggingface_hub. `is_whole` returns true if hub_content() is the file.
// Returns the hashes of new files, by name. Errors: kOutputWrite, those of `bring` and Cancel.
struct HubInstall {
  const ModelPlace& place;
  const std::string& commit;
  const std::vector<HubFile>& files;
  std::function<bool(const TableFile&)> is_whole;
  Bring bring;
};
std::map<std::string, FileHashes> install_in_hub(const HubInstall& install, const Cancel& cancel);
// Returns the path of a file's content: among the blobs, or without a link in the snapshot.
std::filesystem::path hub_content(const ModelPlace& place, const std::string& commit,
                                  const HubFile& file);
std::filesystem::path hub_partial(const ModelPlace& place, const std::string& etag);

// Puts files of a model into a plain folder. They first lie in the folder "<model>.incomplete", and
// get their names together when all are whole. `find_missing` is called under the lock, because
// another process may have brought the files. `key_of` names the version of a file, so that a part
// of another version is not used. Errors: kOutputWrite, those of `bring` and Cancel.
struct PlainInstall {
  const TableModel& model;
  const ModelPlace& place;
  std::function<std::vector<const TableFile*>()> find_missing;
  std::function<std::string(const TableFile&)> key_of;
  Bring bring;
};
std::map<std::string, FileHashes> install_plain(const PlainInstall& install, const Cancel& cancel);
std::filesystem::path plain_partial(const TableModel& model, const ModelPlace& place,
                                    const TableFile& file, const std::string& key);

// Removes a model's files and the leftovers of downloads. Returns the removed paths.
std::vector<std::filesystem::path> remove_model(const TableModel& model, const ModelPlace& place,
                                                const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "download/file_hashes.hpp"
#include "download/model_places.hpp"

namespace virnucpro {

// A lock between processes (flock) on a separate file, as huggingface_hub has for each blob. It has
// no effect on a file system without locks.
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

// Completes `partial`, which may have the file's beginning; then verifies and syncs the file.
using Bring =
    std::function<FileHashes(const TableFile& file, const std::filesystem::path& partial)>;

// A file of a Hugging Face cache. `etag` is the name of its blob.
struct HubFile {
  const TableFile* file = nullptr;
  std::string etag{};
};

// Installs a model in the layout of a Hugging Face cache. First every complete blob gets its name,
// then the snapshot gets its links, then refs/main names the snapshot. So predict finds only a
// complete model. Without symbolic links, the blobs are moved into the snapshot, as huggingface_hub
// does. `is_whole` returns true if hub_content() is the expected file. Returns the hashes of new
// files, by name. Errors: kOutputWrite, those of `bring` and Cancel.
struct HubInstall {
  const ModelPlace& place;
  const std::string& commit;
  const std::vector<HubFile>& files;
  std::function<bool(const TableFile&)> is_whole;
  Bring bring;
};
std::map<std::string, FileHashes> install_in_hub(const HubInstall& install, const Cancel& cancel);
// Returns the path of a file's content: the blob or, without links, the file in the snapshot.
std::filesystem::path hub_content(const ModelPlace& place, const std::string& commit,
                                  const HubFile& file);
std::filesystem::path hub_partial(const ModelPlace& place, const std::string& etag);

// Installs files of a model in a plain folder. The files are written in "<model>.incomplete", and
// get their names together when all are complete. `find_missing` is called under the lock, because
// another process may have fetched the files. `key_of` identifies a file's version, because only
// the same version may be continued. Errors: kOutputWrite, those of `bring` and Cancel.
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

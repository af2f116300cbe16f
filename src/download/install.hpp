#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "download/file_hashes.hpp"
#include "download/model_places.hpp"

namespace virnucpro {

// A lock between processes on a file that is made for it, as huggingface_hub has them beside its
// blobs (flock). Where the file system has none, there is no lock.
class DownloadLock {
 public:
  // Waits while another process has it. Errors: kOutputWrite; Cancel's.
  DownloadLock(const std::filesystem::path& file, const Cancel& cancel);

  const std::filesystem::path& file() const { return file_; }

 private:
  bool try_once();

  std::filesystem::path file_;
  UniqueFd fd_;
};

// Fills a file, which may hold its beginning: returns when it is whole, verified and synced.
using Bring =
    std::function<FileHashes(const TableFile& file, const std::filesystem::path& partial)>;

// A hub's file: the content's name among the blobs.
struct HubFile {
  const TableFile* file = nullptr;
  std::string etag{};
};

// Puts a model into a Hugging Face cache, as huggingface_hub lays it out. Every blob gets its name
// when it is whole, then the snapshot its links, then refs/main names the snapshot: predict sees
// the model when all of it is there. Where the file system has no symbolic links, the blobs
// themselves move into the snapshot, as those of huggingface_hub do. `is_whole` says whether
// hub_content() is the file. Returns what was brought, by name of file. Errors: kOutputWrite, those
// of `bring`, Cancel's.
struct HubInstall {
  const ModelPlace& place;
  const std::string& commit;
  const std::vector<HubFile>& files;
  std::function<bool(const TableFile&)> is_whole;
  Bring bring;
};
std::map<std::string, FileHashes> install_in_hub(const HubInstall& install, const Cancel& cancel);
// Where a file's content is, if it is there: among the blobs, or in the snapshot without a link.
std::filesystem::path hub_content(const ModelPlace& place, const std::string& commit,
                                  const HubFile& file);
std::filesystem::path hub_partial(const ModelPlace& place, const std::string& etag);

// Puts files of a model into a plain folder. They are brought into a folder aside,
// "<model>.incomplete", and get their names together when all are whole. `find_missing` is called
// when no other process downloads the model, and says what is to be brought: another process may
// have done it all. `key_of` names a version of a file: what is there of another one is not used.
// Errors: kOutputWrite, those of `bring`, Cancel's.
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

// Removes a model's files and what downloads left of it. Returns what was removed.
std::vector<std::filesystem::path> remove_model(const TableModel& model, const ModelPlace& place,
                                                const Cancel& cancel);

}  // namespace virnucpro

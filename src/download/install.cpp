#include "download/install.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/steady_file.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kLockMode = 0666;
constexpr std::chrono::milliseconds kLockLook{100};
constexpr const char* kLockName = "lock";
// The file name of a model's lock in a cache. Blobs' locks, in the same folder, end in ".lock".
constexpr const char* kModelLock = "virnucpro";

void rename_synced(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw write_error(to, errno);
  sync_directory(to.parent_path());
}

// Makes a symbolic link; replaces any entry of that name in one step. Returns 0 or an errno.
int put_link(const fs::path& to, const fs::path& link) {
  const fs::path aside = AtomicFile::partial_name(link);
  ::unlink(aside.c_str());
  if (::symlink(to.c_str(), aside.c_str()) != 0) return errno;
  rename_synced(aside, link);
  return 0;
}

// Returns true for the errors of file systems without symbolic links: vfat, exfat, CIFS, FUSE.
bool means_no_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
}

fs::path incomplete_folder(const TableModel& model, const ModelPlace& place) {
  return place.root / (model.name + ".incomplete");
}

// Removes the incomplete folder with its leftovers. Ignores errors: the folder may be in use.
void remove_incomplete(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != kLockName) fs::remove_all(entry.path(), ignored);
  }
  fs::remove(folder / kLockName, ignored);
  fs::remove(folder, ignored);
}

// A complete file that is still in the incomplete folder.
struct WholeFile {
  const TableFile* file;
  fs::path partial;
};

// Moves complete files to their final names. A new folder gets its name only with all files in it,
// because predict would use an incomplete model and search no further.
void give_names(const fs::path& aside, const std::vector<WholeFile>& files,
                const ModelPlace& place) {
  const bool is_new = place.folder != place.root && !is_there(place.folder);
  const fs::path to = is_new ? aside / place.folder.filename() : place.folder;
  make_directory(to);
  for (const WholeFile& whole : files) rename_synced(whole.partial, to / whole.file->name);
  if (is_new) rename_synced(to, place.folder);
}

// Moves the file back if a process was killed in give_names() and left it in the new folder.
void take_back(const fs::path& aside, const ModelPlace& place, const WholeFile& whole) {
  const fs::path named = aside / place.folder.filename() / whole.file->name;
  std::error_code is_not_there;
  if (place.folder != place.root) fs::rename(named, whole.partial, is_not_there);
}

void remove_file(const fs::path& file, std::vector<fs::path>& removed) {
  std::error_code error;
  if (fs::remove(file, error)) removed.push_back(file);
  if (error) throw write_error(file, error.value());
}

fs::path hub_locks(const ModelPlace& place) {
  return place.root / ".locks" / place.folder.filename();
}

// Returns true if a link of any snapshot leads to the blob. Revisions share equal files.
bool is_in_use(const ModelPlace& place, const fs::path& blob) {
  std::error_code ignored;
  const fs::recursive_directory_iterator all(place.folder / "snapshots", ignored);
  return std::any_of(begin(all), end(all), [&](const fs::directory_entry& entry) {
    std::error_code is_no_link;
    return fs::read_symlink(entry.path(), is_no_link).filename() == blob && !is_no_link;
  });
}

// Links the blob, or moves it if links are impossible and no other snapshot has a link to it.
void put_in_snapshot(const ModelPlace& place, const fs::path& snapshot, const HubFile& file) {
  const fs::path blob = place.folder / "blobs" / file.etag;
  const fs::path name = snapshot / file.file->name;
  if (!is_there(blob)) return;  // the snapshot has the file itself
  const int error = put_link(fs::path("../../blobs") / file.etag, name);
  if (error == 0) return;
  if (!means_no_links(error) || is_in_use(place, file.etag)) {
    throw write_error(name, error, "the symbolic link cannot be made");
  }
  rename_synced(blob, name);
}

void remove_blob(const ModelPlace& place, const fs::path& blob, std::vector<fs::path>& removed,
                 const Cancel& cancel) {
  const DownloadLock lock(hub_locks(place) / (blob.string() + ".lock"), cancel);
  std::error_code ignored;
  fs::remove(hub_partial(place, blob.string()), ignored);
  if (!is_in_use(place, blob)) remove_file(place.folder / "blobs" / blob, removed);
}

// Removes the links of a snapshot, and the blobs that no other link leads to.
void remove_hub_files(const TableModel& model, const ModelPlace& place,
                      std::vector<fs::path>& removed, const Cancel& cancel) {
  for (const TableFile& file : model.files) {
    const fs::path link = place.path_of(file);
    if (link.empty()) continue;
    std::error_code is_no_link;
    const fs::path blob = fs::read_symlink(link, is_no_link).filename();
    remove_file(link, removed);
    if (!is_no_link) remove_blob(place, blob, removed, cancel);
  }
  // An interrupted download has made no links yet, so remove its blobs by their published hashes.
  for (const TableFile& file : model.files) {
    if (!file.sha256.empty()) remove_blob(place, file.sha256, removed, cancel);
  }
}

// Removes a cache's empty folders; folders with other files stay.
void remove_empty_hub(const ModelPlace& place) {
  std::error_code ignored;
  const fs::path snapshot = hub_snapshot(place);
  if (!snapshot.empty() && fs::is_empty(snapshot, ignored)) {
    fs::remove(snapshot, ignored);
    fs::remove(place.folder / "refs" / "main", ignored);
  }
  for (const char* name : {"blobs", "refs", "snapshots"}) fs::remove(place.folder / name, ignored);
  fs::remove(place.folder, ignored);
}

}  // namespace

DownloadLock::DownloadLock(const fs::path& file, const Cancel& cancel) : file_(file) {
  bool said = false;
  while (!try_once()) {
    if (!said)
      log_warning(
          "{}: another process fetches or removes the model, and holds this lock; waiting until it "
          "has finished",
          file.string());
    said = true;
    cancel.check();
    std::this_thread::sleep_for(kLockLook);
  }
}

// Returns false if another process has the lock, or removed the file between opening and locking.
bool DownloadLock::try_once() {
  make_directory(file_.parent_path());
  fd_ = open_retrying(file_, O_RDWR | O_CREAT | O_NOFOLLOW, kLockMode);
  if (fd_.get() < 0 && errno == ENOENT) return false;  // its folder was removed meanwhile
  if (fd_.get() < 0) throw write_error(file_, errno);
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK && errno != EINTR;
  struct stat held {};
  struct stat named {};
  return ::fstat(fd_.get(), &held) == 0 && ::stat(file_.c_str(), &named) == 0 &&
         is_same_file(held, named);
}

fs::path hub_partial(const ModelPlace& place, const std::string& etag) {
  return place.folder / "blobs" / (etag + ".incomplete");
}

fs::path hub_content(const ModelPlace& place, const std::string& commit, const HubFile& file) {
  const fs::path blob = place.folder / "blobs" / file.etag;
  const fs::path in_snapshot = place.folder / "snapshots" / commit / file.file->name;
  std::error_code is_not_there;
  const bool has_no_link = fs::is_regular_file(fs::symlink_status(in_snapshot, is_not_there));
  return !is_there(blob) && has_no_link ? in_snapshot : blob;
}

std::map<std::string, FileHashes> install_in_hub(const HubInstall& install, const Cancel& cancel) {
  const ModelPlace& place = install.place;
  std::map<std::string, FileHashes> brought;
  const fs::path lock_folder = hub_locks(place);
  const DownloadLock lock_of_model(lock_folder / kModelLock, cancel);
  make_directory(place.folder / "blobs");
  for (const HubFile& file : install.files) {
    // Lock each blob, because another tool may fetch it.
    const DownloadLock lock(lock_folder / (file.etag + ".lock"), cancel);
    if (install.is_whole(*file.file)) continue;
    const fs::path partial = hub_partial(place, file.etag);
    brought[file.file->name] = install.bring(*file.file, partial);
    rename_synced(partial, place.folder / "blobs" / file.etag);
  }
  const fs::path snapshot = place.folder / "snapshots" / install.commit;
  make_directory(snapshot);
  for (const HubFile& file : install.files) put_in_snapshot(place, snapshot, file);
  make_directory(place.folder / "refs");
  AtomicFile main(place.folder / "refs" / "main");
  main.write(install.commit);
  main.commit();
  return brought;
}

fs::path plain_partial(const TableModel& model, const ModelPlace& place, const TableFile& file,
                       const std::string& key) {
  return incomplete_folder(model, place) / fmt::format("{}.{:016x}", file.name, hash64(key));
}

std::map<std::string, FileHashes> install_plain(const PlainInstall& install, const Cancel& cancel) {
  const fs::path aside = incomplete_folder(install.model, install.place);
  const DownloadLock lock(aside / kLockName, cancel);
  const std::vector<const TableFile*> missing = install.find_missing();
  std::map<std::string, FileHashes> brought;
  std::vector<WholeFile> whole;
  for (const TableFile* file : missing) {
    whole.push_back(
        {file, plain_partial(install.model, install.place, *file, install.key_of(*file))});
    take_back(aside, install.place, whole.back());
    brought[file->name] = install.bring(*file, whole.back().partial);
  }
  if (!whole.empty()) give_names(aside, whole, install.place);
  remove_incomplete(aside);
  return brought;
}

std::vector<fs::path> remove_model(const TableModel& model, const ModelPlace& place,
                                   const Cancel& cancel) {
  std::vector<fs::path> removed;
  std::error_code ignored;
  if (place.is_hub && !is_there(place.folder)) return removed;
  std::optional<DownloadLock> lock_of_model;
  if (place.is_hub) {
    lock_of_model.emplace(hub_locks(place) / kModelLock, cancel);
    remove_hub_files(model, place, removed, cancel);
  } else {
    for (const TableFile& file : model.files) remove_file(place.path_of(file), removed);
  }
  HashRecord(place.record_folder()).remove(model.name);
  if (place.is_hub) {
    remove_empty_hub(place);
    return removed;
  }
  if (place.folder != place.root) fs::remove(place.folder, ignored);  // only if it is empty
  const fs::path aside = incomplete_folder(model, place);
  if (is_there(aside)) {
    const DownloadLock lock(aside / kLockName, cancel);
    remove_incomplete(aside);
  }
  return removed;
}

}  // namespace virnucpro

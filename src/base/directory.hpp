#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace virnucpro {

class Error;
class UniqueFd;

// The type of an entry in a folder. A symbolic link is kOther, whatever its target is.
enum class EntryKind : std::uint8_t { kNone, kFile, kFolder, kOther };

// A folder that stays open, so that nobody can redirect writes by replacing the folder or an entry.
// Entries are opened by their names through the folder's descriptor, and links are not followed.
// Copies share the descriptor. Errors of all functions: kOutputWrite.
class Directory {
 public:
  // Opens an existing folder. Links in the path are followed. An empty path means the current
  // folder.
  explicit Directory(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  int fd() const;
  EntryKind kind_of(const std::string& name) const;
  // Returns an entry's path, for functions that accept only paths. Errors: also kOutputExists if
  // the entry is neither a file nor a folder.
  std::filesystem::path path_of(const std::string& name) const;
  // Returns the names of all entries, sorted.
  std::vector<std::string> names() const;
  // Opens a folder in this folder. Errors: also kOutputExists if the entry is not a folder.
  Directory folder(const std::string& name) const;
  // Like folder(), but makes a missing folder.
  Directory make_folder(const std::string& name) const;

  // Opens a regular file for reading. On failure the descriptor is negative and errno is set.
  UniqueFd open_file(const std::string& name) const;
  // Makes a file, open for reading and writing. Fails with errno EEXIST if `name` is taken.
  UniqueFd create(const std::string& name) const;
  // Makes a file without a name.
  UniqueFd create_nameless() const;

  // Renames an entry and replaces `to`. Returns 0, or errno.
  int rename(const std::string& from, const std::string& to) const;
  // Like rename(), but returns EEXIST if `to` exists; EINVAL if the file system cannot check it.
  int rename_if_free(const std::string& from, const std::string& to) const;
  // These remove a file or an empty folder. They ignore a missing entry and a folder with entries.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;
  // Removes the incomplete file of a killed process, so that a new file can have its name. Errors:
  // also kOutputExists if the entry is not a regular file.
  void remove_leftover(const std::string& name) const;
  // Syncs the folder, so that a rename in it survives a power cut.
  void sync() const;

 private:
  Directory(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;  // used in messages
  std::shared_ptr<const UniqueFd> fd_;
};

// Makes the error kOutputExists: an entry already has this path, and was not changed.
Error taken_name(const std::filesystem::path& path, const std::string& why);

// The path of a file to be written. If `folder` is set, the file is an entry of that folder, and a
// link is not followed. Otherwise the user named `path`, and links are followed.
struct FilePlace {
  std::optional<Directory> folder;
  std::filesystem::path path;

  // Not explicit, so that functions that write files accept a path, too.
  FilePlace(std::filesystem::path user_path) : path(std::move(user_path)) {}
  FilePlace(const Directory& in, const std::string& name) : folder(in), path(in.path() / name) {}

  std::string name() const { return path.filename().string(); }
  // Opens a regular file for appending (O_RDWR), and makes a missing file. If `folder` is set, a
  // file with a second name (a hard link) is refused with EMLINK, because a user's file of that
  // name would grow, too. On failure the descriptor is negative and errno is set.
  UniqueFd open_to_append() const;
};

// Returns a path in /proc/self/fd, by which a library can open an open file or an entry of an open
// folder. Renaming files does not redirect that path. Without /proc, returns the plain path.
std::filesystem::path reachable(int fd, const std::filesystem::path& path);
std::filesystem::path reachable(const FilePlace& place);

// Makes a folder and its parents; an existing folder is not changed. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

// A new folder in TMPDIR, or in /tmp. The destructor removes the folder and its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();  // Errors: kTemporaryFolder.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Removes this process's temporary folders. A signal handler may call it: it takes no lock and
// allocates no memory.
void remove_temporary_folders() noexcept;

}  // namespace virnucpro

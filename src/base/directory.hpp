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

// The kind of an entry in a folder. A link is kOther, even if it leads to a file or folder.
enum class EntryKind : std::uint8_t { kNone, kFile, kFolder, kOther };

// A folder that is held open, so that nobody can redirect writes by replacing the folder or an
// entry. Entries are opened through the folder's descriptor by plain names, and links are not
// followed. Copies share the descriptor. Errors: kOutputWrite.
class Directory {
 public:
  // Opens an existing folder; links in the path are followed. An empty path is the current folder.
  explicit Directory(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  int fd() const;
  EntryKind kind_of(const std::string& name) const;
  // Returns an entry's path, for functions that take only paths. Errors: also kOutputExists for a
  // link.
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
  // Like rename(), but returns EEXIST if `to` is taken, EINVAL if the file system cannot do this.
  int rename_if_free(const std::string& from, const std::string& to) const;
  // These remove a file or an empty folder. A missing entry is not an error.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;
  // Removes the incomplete file of a killed process, so that a new file can have its name. Errors:
  // also kOutputExists for an entry that is not a regular file.
  void remove_leftover(const std::string& name) const;
  // Syncs the folder, so that a rename in it survives a power cut.
  void sync() const;

 private:
  Directory(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;  // used in messages
  std::shared_ptr<const UniqueFd> fd_;
};

// Makes the error kOutputExists: `path` is taken by an entry, which is not changed.
Error taken_name(const std::filesystem::path& path, const std::string& why);

// The place of a file. If `folder` is set, the file is an entry of it, and a link is not followed.
// Otherwise `path` is a user's path, and links are followed.
struct FilePlace {
  std::optional<Directory> folder;
  std::filesystem::path path;

  // Not explicit, so that functions that write files take both kinds of place.
  FilePlace(std::filesystem::path user_path) : path(std::move(user_path)) {}
  FilePlace(const Directory& in, const std::string& name) : folder(in), path(in.path() / name) {}

  std::string name() const { return path.filename().string(); }
  // Opens a regular file for appending (O_RDWR), and makes it if it is missing. If `folder` is set,
  // a file with a second name (a hard link) is refused (EMLINK), because a user's file would grow
  // with it. On failure the descriptor is negative and errno is set.
  UniqueFd open_to_append() const;
};

// Returns a path (/proc/self/fd) for a library that has to open an open file, or an entry of an
// open folder. Renaming files does not redirect it. Without /proc, returns the plain path.
std::filesystem::path reachable(int fd, const std::filesystem::path& path);
std::filesystem::path reachable(const FilePlace& place);

// Makes a folder and its parents; an existing folder is not changed. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

// A new folder in the temporary folder (TMPDIR). The destructor removes it with everything in it.
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

// Removes this process's temporary folders, for a signal handler: takes no lock and no memory.
void remove_temporary_folders() noexcept;

}  // namespace virnucpro

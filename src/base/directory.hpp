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

// The kind of an entry in a folder. A link is kOther, whatever it leads to.
enum class EntryKind : std::uint8_t { kNone, kFile, kFolder, kOther };

// A folder that is held open, so that nobody can redirect writes by replacing the folder or an
// entry. Entries are reached through its descriptor, by plain names. Links among them are not
// followed. Copies share the descriptor. Errors: kOutputWrite.
class Directory {
 public:
  // An existing folder; links in the path are followed. An empty path is the current folder.
  explicit Directory(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  int fd() const;
  EntryKind kind_of(const std::string& name) const;
  // The path of an entry, for functions that take only paths. Errors: also kOutputExists for a
  // link.
  std::filesystem::path path_of(const std::string& name) const;
  // The names in it, sorted.
  std::vector<std::string> names() const;
  // Opens a folder in it. Errors: also kOutputExists for a link or anything else.
  Directory folder(const std::string& name) const;
  // Like folder(), but makes it if it is missing.
  Directory make_folder(const std::string& name) const;

  // A regular file, for reading. The descriptor is negative, and errno set, if the call failed.
  UniqueFd open_file(const std::string& name) const;
  // A new file, open for reading and writing. `name` must be free (errno EEXIST).
  UniqueFd create(const std::string& name) const;
  // A new file without a name.
  UniqueFd create_nameless() const;

  // Replaces `to`. Returns 0, or errno.
  int rename(const std::string& from, const std::string& to) const;
  // Replaces nothing: EEXIST where `to` is taken, EINVAL where the file system cannot do that.
  int rename_if_free(const std::string& from, const std::string& to) const;
  // Removes a file, or an empty folder. One that is missing is no error.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;
  // Removes the incomplete file of a killed process, so that a new one can have its name. Errors:
  // also kOutputExists for an entry that is not a regular file.
  void remove_leftover(const std::string& name) const;
  // Syncs the folder, so that a rename in it survives a power cut.
  void sync() const;

 private:
  Directory(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;  // for messages
  std::shared_ptr<const UniqueFd> fd_;
};

// Makes the error kOutputExists: `path` is taken, and the entry there stays as it is.
Error taken_name(const std::filesystem::path& path, const std::string& why);

// The place of a file. With a folder it is an entry there, and a link is not followed. Without a
// folder it is a user's path, and links are followed.
struct FilePlace {
  std::optional<Directory> folder;
  std::filesystem::path path;

  // Implicit: functions that write files take either.
  FilePlace(std::filesystem::path user_path) : path(std::move(user_path)) {}
  FilePlace(const Directory& in, const std::string& name) : folder(in), path(in.path() / name) {}

  std::string name() const { return path.filename().string(); }
  // Opens a regular file for appending (O_RDWR), and makes it if it is missing. In a folder, a file
  // with a second name (a hard link) is refused (EMLINK), because a user's file would grow with it.
  // On failure the descriptor is negative, and errno is set.
  UniqueFd open_to_append() const;
};

// Returns a path (/proc/self/fd) through which a library can open an open file, or an entry of an
// open folder. Renamed files cannot redirect it. Without /proc it is the plain path.
std::filesystem::path reachable(int fd, const std::filesystem::path& path);
std::filesystem::path reachable(const FilePlace& place);

// Makes a folder and its parents; an existing one is left as it is. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

}  // namespace virnucpro

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

// What a name in a folder stands for. A link is kOther, whatever it leads to.
enum class EntryKind : std::uint8_t { kNone, kFile, kFolder, kOther };

// A folder that is held open. Its entries are reached through its descriptor, by plain names, and
// links among them are not followed: whatever is put in the place of the folder or of an entry
// redirects nothing. Copies share the descriptor. Errors: kOutputWrite.
class Directory {
 public:
  // An existing folder; links in the path are followed. An empty path is the current folder.
  explicit Directory(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  int fd() const;
  EntryKind kind_of(const std::string& name) const;
  // The path of an entry, for what knows only paths. Errors: also kOutputExists for a link.
  std::filesystem::path path_of(const std::string& name) const;
  // The names in it, sorted.
  std::vector<std::string> names() const;
  // A folder in it that is no link. Errors: also kOutputExists, naming it, for anything else.
  Directory folder(const std::string& name) const;
  // The same, made if it is missing.
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
  // Removes the incomplete file of a killed process, whose name a new one is to have. Errors: also
  // kOutputExists where the name stands for something else than a regular file.
  void remove_leftover(const std::string& name) const;
  // So that a rename in it survives a power cut.
  void sync() const;

 private:
  Directory(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;  // for messages
  std::shared_ptr<const UniqueFd> fd_;
};

// kOutputExists for a name that something else has, which is neither replaced nor removed.
Error taken_name(const std::filesystem::path& path, const std::string& why);

// A name for a file. With a folder: the entry of that name, never what a link under it leads to.
// Without: a path of the user's, of which links are followed.
struct FilePlace {
  std::optional<Directory> folder;
  std::filesystem::path path;

  // Implicit: functions that write files take either.
  FilePlace(std::filesystem::path user_path) : path(std::move(user_path)) {}
  FilePlace(const Directory& in, const std::string& name) : folder(in), path(in.path() / name) {}

  std::string name() const { return path.filename().string(); }
  // Opens a regular file for appending (O_RDWR), and makes it if it is missing. In a folder, one
  // that has a second name (a hard link) is refused (EMLINK): a file of the user's would grow with
  // it. The descriptor is negative, and errno set, if that failed.
  UniqueFd open_to_append() const;
};

// The path under which a library that opens files itself reaches an open file, or a name in an open
// folder: no change of other names can redirect it. The plain path where there is no /proc.
std::filesystem::path reachable(int fd, const std::filesystem::path& path);
std::filesystem::path reachable(const FilePlace& place);

// Makes a folder and its parents; an existing one is left as it is. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

}  // namespace virnucpro

#include "base/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr mode_t kFolderMode = 0777;
constexpr int kFolder = O_RDONLY | O_DIRECTORY;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw write_error(path, error);
}

std::filesystem::path path_or_here(const std::filesystem::path& path) {
  return path.empty() ? "." : path;
}

UniqueFd open_at(int folder, const std::string& name, int flags) {
  return open_retrying_at(folder, name, flags, kFileMode);
}

// Opens an entry only if it is a regular file (else EINVAL). Does not wait for a FIFO's writer.
UniqueFd open_regular(int folder, const std::string& name, int flags) {
  UniqueFd fd = open_at(folder, name, flags | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (fd.get() < 0 || (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode))) return fd;
  fd.reset();
  errno = EINVAL;
  return fd;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// The paths of temporary folders, in memory that a signal handler can read.
class FolderList {
 public:
  // Adds nothing if the path is too long or the list is full. Then a signal leaves the folder
  // behind.
  void add(const std::string& path) noexcept {
    if (path.size() >= kLongest) return;
    for (Entry& entry : entries_) {
      State free = State::kFree;
      if (!entry.state.compare_exchange_strong(free, State::kWritten)) continue;
      *std::ranges::copy(path, entry.path.begin()).out = '\0';
      entry.state = State::kKept;
      return;
    }
  }

  void remove(const std::string& path) noexcept {
    for (Entry& entry : entries_) {
      if (entry.state == State::kKept && path == entry.path.data()) entry.state = State::kFree;
    }
  }

  template <typename Visit>
  void for_each(const Visit& visit) const noexcept {
    for (const Entry& entry : entries_) {
      if (entry.state == State::kKept) visit(entry.path.data());
    }
  }

 private:
  static constexpr std::size_t kLongest = 512;
  enum class State : std::uint8_t { kFree, kWritten, kKept };
  static_assert(std::atomic<State>::is_always_lock_free, "a signal handler uses this atomic");
  struct Entry {
    std::atomic<State> state{State::kFree};
    std::array<char, kLongest> path{};
  };
  std::array<Entry, 8> entries_;
};

FolderList& temporary_folders() {
  static constinit FolderList folders;
  return folders;
}

// A signal handler may call the next two functions, because they make only system calls.
bool remove_entry(int folder, const char* name) noexcept;

// Removes a folder's entries. Returns true if any was removed; the caller then makes another pass.
bool remove_entries(int folder) noexcept {
  alignas(dirent64) std::array<char, 1024> buffer;
  bool removed = false;
  for (;;) {
    const ssize_t size = ::getdents64(folder, buffer.data(), buffer.size());
    if (size <= 0) return removed;
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(&buffer[static_cast<std::size_t>(at)]);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") removed = remove_entry(folder, entry->d_name) || removed;
    }
  }
}

bool remove_entry(int folder, const char* name) noexcept {
  if (::unlinkat(folder, name, 0) == 0) return true;
  const int inside = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return false;
  constexpr int kPasses = 8;  // other threads may still write into the folder
  for (int pass = 0; pass < kPasses && remove_entries(inside); ++pass) ::lseek(inside, 0, SEEK_SET);
  ::close(inside);
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

}  // namespace

Directory::Directory(std::filesystem::path path) : path_(std::move(path)) {
  fd_ = std::make_shared<UniqueFd>(open_at(AT_FDCWD, path_or_here(path_).string(), kFolder));
  if (fd() < 0) fail(path_or_here(path_), errno);
}

Directory::Directory(std::filesystem::path path, UniqueFd fd)
    : path_(std::move(path)), fd_(std::make_shared<UniqueFd>(std::move(fd))) {}

int Directory::fd() const {
  return fd_->get();
}

EntryKind Directory::kind_of(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) fail(path_ / name, errno);
    return EntryKind::kNone;
  }
  if (S_ISREG(status.st_mode)) return EntryKind::kFile;
  return S_ISDIR(status.st_mode) ? EntryKind::kFolder : EntryKind::kOther;
}

std::filesystem::path Directory::path_of(const std::string& name) const {
  if (kind_of(name) != EntryKind::kOther) return path_ / name;
  throw taken_name(path_ / name, "it is neither a file nor a folder; links are not followed");
}

std::vector<std::string> Directory::names() const {
  UniqueFd own = open_at(fd(), ".", kFolder);  // not fd(): all copies share its position
  if (own.get() < 0) fail(path_, errno);
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(own.get()));
  if (!entries) fail(path_, errno);
  own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) fail(path_, errno);
  std::ranges::sort(names);
  return names;
}

Directory Directory::folder(const std::string& name) const {
  UniqueFd inner = open_at(fd(), name, kFolder | O_NOFOLLOW);
  if (inner.get() >= 0) return {path_ / name, std::move(inner)};
  if (errno != ELOOP && errno != ENOTDIR) fail(path_ / name, errno);
  throw taken_name(path_ / name, "it is not a folder; links are not followed");
}

Directory Directory::make_folder(const std::string& name) const {
  if (::mkdirat(fd(), name.c_str(), kFolderMode) != 0 && errno != EEXIST) fail(path_ / name, errno);
  return folder(name);
}

UniqueFd Directory::open_file(const std::string& name) const {
  return open_regular(fd(), name, O_RDONLY);
}

UniqueFd Directory::create(const std::string& name) const {
  return open_at(fd(), name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
}

UniqueFd Directory::create_nameless() const {
  UniqueFd file = open_at(fd(), ".", O_RDWR | O_TMPFILE);
  if (file.get() >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  // This file system has no nameless files: make a file and remove its name.
  do {
    const std::string name = fmt::format(".nameless-{:08x}", std::random_device()());
    file = create(name);
    if (file.get() >= 0) ::unlinkat(fd(), name.c_str(), 0);
  } while (file.get() < 0 && errno == EEXIST);
  return file;
}

int Directory::rename(const std::string& from, const std::string& to) const {
  return ::renameat(fd(), from.c_str(), fd(), to.c_str()) == 0 ? 0 : errno;
}

int Directory::rename_if_free(const std::string& from, const std::string& to) const {
  const int done = ::renameat2(fd(), from.c_str(), fd(), to.c_str(), RENAME_NOREPLACE);
  return done == 0 ? 0 : errno;
}

void Directory::remove(const std::string& name) const {
  if (::unlinkat(fd(), name.c_str(), 0) != 0 && errno != ENOENT) fail(path_ / name, errno);
}

void Directory::remove_folder(const std::string& name) const {
  if (::unlinkat(fd(), name.c_str(), AT_REMOVEDIR) == 0) return;
  if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) fail(path_ / name, errno);
}

// Removes the name instead of overwriting the file, which may have other names (hard links).
void Directory::remove_leftover(const std::string& name) const {
  const EntryKind kind = kind_of(name);
  if (kind == EntryKind::kFile) remove(name);
  if (kind != EntryKind::kFolder && kind != EntryKind::kOther) return;
  throw taken_name(path_ / name,
                   "it is not a regular file, so it is not a leftover of this program");
}

void Directory::sync() const {
  // Ignores EINVAL, because some network file systems cannot sync a folder.
  if (::fsync(fd()) != 0 && errno != EINVAL) fail(path_, errno);
}

Error taken_name(const std::filesystem::path& path, const std::string& why) {
  return Error(ErrorKind::kOutputExists, Place{.file = path.string()}, why)
      .advised("It was not changed: move it away, or choose another --output.");
}

UniqueFd FilePlace::open_to_append() const {
  if (!folder) {
    return open_at(AT_FDCWD, path.string(), O_RDWR | O_APPEND | O_CREAT);
  }
  UniqueFd made = open_at(folder->fd(), name(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (made.get() >= 0 || errno != EEXIST) return made;
  UniqueFd found = open_regular(folder->fd(), name(), O_RDWR | O_APPEND);
  struct stat status {};
  if (found.get() < 0 || ::fstat(found.get(), &status) != 0 || status.st_nlink < 2) return found;
  found.reset();
  errno = EMLINK;
  return found;
}

std::filesystem::path reachable(int fd, const std::filesystem::path& path) {
  const std::string link = fmt::format("/proc/self/fd/{}", fd);
  return ::access(link.c_str(), F_OK) == 0 ? std::filesystem::path(link) : path;
}

std::filesystem::path reachable(const FilePlace& place) {
  if (!place.folder) return place.path;
  return reachable(place.folder->fd(), place.folder->path()) / place.name();
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw write_error(directory, error.value());
}

TemporaryFolder::TemporaryFolder() {
  const char* const set = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  const std::string parent = set == nullptr || *set == '\0' ? "/tmp" : set;
  std::string name = std::filesystem::path(parent) / "virnucpro-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::kTemporaryFolder, Place{.file = parent}, errno_text(errno));
  }
  path_ = name;
  temporary_folders().add(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // files that remain do no harm
  std::filesystem::remove_all(path_, ignored);
  temporary_folders().remove(path_);
}

void remove_temporary_folders() noexcept {
  temporary_folders().for_each([](const char* path) { remove_entry(AT_FDCWD, path); });
}

}  // namespace virnucpro

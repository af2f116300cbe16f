#include "base/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

// Keeps the paths of temporary folders where a signal handler can read them.
class FolderList {
 public:
  // Drops a path that is too long or finds no free entry; a signal then leaves that folder behind.
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
  static_assert(std::atomic<State>::is_always_lock_free, "used in a signal handler");
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

// A signal handler may call these functions, which make only system calls.
bool remove_entry(int folder, const char* name) noexcept;

// Removes entries. Returns true if any was removed; the folder may then have more.
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
  std::error_code ignored;  // a file that stays does no harm
  std::filesystem::remove_all(path_, ignored);
  temporary_folders().remove(path_);
}

void remove_temporary_folders() noexcept {
  temporary_folders().for_each([](const char* path) { remove_entry(AT_FDCWD, path); });
}

}  // namespace virnucpro

#include "journal/journal_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/journal.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Byte offsets in the header: https://www.sqlite.org/fileformat2.html, section 1.3
constexpr std::size_t kHeaderSize = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kWriteVersion = 18;
constexpr std::size_t kReadVersion = 19;
constexpr std::size_t kApplication = 68;
constexpr std::uint8_t kWalVersion = 2;

fs::path beside(const fs::path& journal, const char* ending) {
  return journal.string() + ending;
}

[[noreturn]] void fail_header(const fs::path& file, std::string why) {
  throw Error(ErrorKind::kJournalDamaged, Place{.file = file.string()}, std::move(why));
}

[[noreturn]] void refuse(const fs::path& file, std::string why) {
  throw Error(ErrorKind::kJournalDamaged, Place{.file = file.string()}, std::move(why))
      .advised(
          "Nothing was opened or changed. If the run is yours, move that file away and run again; "
          "if it is not, do not use the run.");
}

void require_regular(const fs::path& file, const fs::path& shown) {
  const std::string_view other = other_kind_of(file);
  if (!other.empty())
    refuse(shown, fmt::format("it is {}, but a run makes only regular files", other));
}

void require_none(const fs::path& file, const fs::path& shown, const char* why) {
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(file, unknown))) refuse(shown, why);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

fs::path log_of(const fs::path& journal) {
  return beside(journal, "-wal");
}

bool has_log(const fs::path& journal) {
  std::error_code unknown;  // on an error file_size() is not 0, so the log counts as not empty
  return is_there(log_of(journal)) && fs::file_size(log_of(journal), unknown) > 0;
}

void require_own_journal_files(const fs::path& journal, const fs::path& shown) {
  const fs::path& name = shown.empty() ? journal : shown;
  require_none(
      beside(journal, "-journal"), beside(name, "-journal"),
      "this is an SQLite rollback journal, and no run leaves one: with it, SQLite would change "
      "the run's journal or other files");
  require_none(beside(journal, "-shm"), beside(name, "-shm"),
               "no run leaves this file: another program made it, and may have the journal open");
  require_regular(journal, name);
  require_regular(log_of(journal), log_of(name));
}

UniqueFd open_journal_file(const fs::path& journal, int flags, ErrorKind missing, ErrorKind kind,
                           const fs::path& shown) {
  const fs::path& name = shown.empty() ? journal : shown;
  require_regular(journal, name);
  UniqueFd fd = open_regular_file(journal, flags);
  if (fd.get() >= 0) return fd;
  throw Error(errno == ENOENT ? missing : kind_of_failure(errno, kind),
              Place{.file = name.string()}, errno_text(errno));
}

void require_journal_header(int fd, const fs::path& journal) {
  std::array<char, kHeaderSize> bytes{};
  const ssize_t size = read_at(fd, 0, bytes);
  if (size < 0) throw write_error(journal, errno);  // the same error as from SQLite
  const std::string_view header(bytes.data(), bytes.size());
  if (size != static_cast<ssize_t>(kHeaderSize) || !header.starts_with(kMagic)) {
    fail_header(journal, "it is not an SQLite database");
  }
  if (big_endian(header.substr(kApplication, 4)) != kApplicationId) {
    fail_header(journal, "it is not a journal of this program");
  }
  if (header[kWriteVersion] != kWalVersion || header[kReadVersion] != kWalVersion) {
    fail_header(journal, "it is not in SQLite's WAL mode, which every run uses");
  }
}

}  // namespace virnucpro

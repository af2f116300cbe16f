#include "journal/older_run.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/file_name.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

// The beginning of an SQLite file: its name at 0, the application's id at 68, most significant byte
// first.
constexpr std::string_view kStart{"SQLite format 3\0", 16};
constexpr std::size_t kIdAt = 68;

bool is_marked(int fd) {
  std::array<unsigned char, kIdAt + 4> head{};
  if (::pread(fd, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) return false;
  std::uint64_t id = 0;
  for (std::size_t k = kIdAt; k < head.size(); ++k) id = id << 8U | head[k];
  return id == kApplicationId &&
         std::equal(kStart.begin(), kStart.end(), head.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// The fingerprint, as far as it can be read: the file may be crafted. `immutable`: SQLite looks at
// no file beside it. A view in the place of the table may take for ever, so steps are limited.
std::map<std::string, std::string> read_fingerprint(const std::string& path) {
  constexpr int kMostSteps = 1'000'000;
  std::map<std::string, std::string> found;
  sqlite3* opened = nullptr;
  const std::string uri = fmt::format("file:{}?immutable=1", path);
  const int code =
      sqlite3_open_v2(uri.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, CloseDatabase> database(opened);
  if (code != SQLITE_OK) return found;
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_progress_handler(
      opened, kMostSteps, [](void*) { return 1; }, nullptr);
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(opened, "SELECT key, value FROM fingerprint", -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, EndStatement> rows(prepared);
  const auto text = [prepared](int column) {
    const unsigned char* const value = sqlite3_column_text(prepared, column);
    return value == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(value));
  };
  while (prepared != nullptr && sqlite3_step(prepared) == SQLITE_ROW) found[text(0)] = text(1);
  return found;
}

// The part of a name that is a time of base/time_text.hpp: 20260131T093000.123Z.
bool is_time(std::string_view text) {
  constexpr std::string_view kShape = "00000000T000000.000Z";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(),
                    [](char a, char b) { return b == '0' ? a >= '0' && a <= '9' : a == b; });
}

void add_timed(const Directory& directory, std::set<std::string>& files) {
  for (const RunFile& file : {run_files::kTelemetry, run_files::kBatchLines,
                              run_files::kBatchNumbers, run_files::kMonitorLog}) {
    const std::string folder(file.folder);
    if (!folder.empty() && directory.kind_of(folder) != EntryKind::kFolder) continue;
    const Directory place = folder.empty() ? directory : directory.folder(folder);
    for (const std::string& name : place.names()) {
      if (is_time(file.differing_in(name))) files.insert(std::filesystem::path(folder) / name);
    }
  }
}

}  // namespace

std::set<std::string> files_proven_by_journal(const Directory& directory) {
  std::set<std::string> files;
  const std::string journal(run_files::kJournal.name);
  if (directory.kind_of(journal) != EntryKind::kFile) return files;
  const UniqueFd fd = directory.open_file(journal);
  if (fd.get() < 0 || !is_marked(fd.get())) return files;
  auto print = read_fingerprint(reachable(fd.get(), directory.path() / journal).string());
  for (const RunFile& file :
       {run_files::kJournal, run_files::kSequenceTable, run_files::kFailedInputs, run_files::kLog,
        run_files::kReportHtml, run_files::kReportMarkdown, run_files::kReportJson,
        run_files::kMultiqcGeneral, run_files::kMultiqcScores}) {
    files.insert(file.in({}));
  }
  if (print["synthetic_weights"] == "true") files.insert(run_files::kSyntheticMark.in({}));
  add_timed(directory, files);
  const std::string& stem = print["stem"];
  if (!is_file_name(stem)) return files;
  files.insert(run_files::kFrameTable.in({}, stem));
  files.insert(run_files::kConsensusTable.in({}, stem));
  files.insert(run_files::kTableFolder.in({}, stem).string() + "/");
  if (print["keep_intermediate"] != "true") return files;
  files.insert(run_files::kEmbeddings.in({}));
  files.insert(run_files::kNucleotides.in({}, stem));
  files.insert(run_files::kProteins.in({}, stem));
  const std::optional<std::uint64_t> chunk_size = parse_count(print["chunk_size"]);
  if (chunk_size) files.insert(run_files::kChunks.in({}, stem, *chunk_size));
  return files;
}

}  // namespace virnucpro

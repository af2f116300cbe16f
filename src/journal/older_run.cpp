#include "journal/older_run.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "journal/journal_files.hpp"
#include "journal/run_files.hpp"
#include "journal/sqlite.hpp"

namespace virnucpro {
namespace {

bool is_journal(const FilePlace& file) {
  try {
    require_journal_header(file.folder->open_file(file.name()).get(), file.path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// True if the table has this program's SQL. Another table may have values whose computation never
// ends.
bool has_fingerprint(const SqliteDatabase& database) {
  SqliteStatement tables =
      database.prepare("SELECT sql FROM sqlite_schema WHERE lower(name) = 'fingerprint'");
  return tables.step() && tables.text(0) == kFingerprintTable && !tables.step();
}

// Returns the readable entries of the fingerprint, at most 64 MiB. In a crafted file the pages may
// form a tree whose branches meet again, so that the rows practically never end.
std::map<std::string, std::string> read_fingerprint(const FilePlace& journal) {
  constexpr std::size_t kMostFingerprintBytes = 64 << 20;
  std::map<std::string, std::string> found;
  try {
    const SqliteDatabase database(reachable(journal), nullptr, SqliteDatabase::Access::kAsItIs);
    if (!has_fingerprint(database)) return found;
    SqliteStatement rows = database.prepare("SELECT key, value FROM fingerprint");
    for (std::size_t bytes = 0; bytes < kMostFingerprintBytes && rows.step();) {
      std::string key = rows.text(0);
      std::string value = rows.text(1);
      bytes += key.size() + value.size() + 1;
      found[std::move(key)] = std::move(value);
    }
  } catch (const Error&) {  // keeps the entries read so far
  }
  return found;
}

// True for a time in the form used in file names (base/time.hpp): 20260131T093000.123Z.
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
  const FilePlace journal(directory, std::string(run_files::kJournal.name));
  if (directory.kind_of(journal.name()) != EntryKind::kFile || !is_journal(journal)) return files;
  auto print = read_fingerprint(journal);
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

#include "run/fastq_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "run/run_fingerprint.hpp"
#include "sequence/raw_bytes.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEither = "either";
constexpr std::string_view kBoth = "both";
constexpr std::string_view kPending = "pending";
constexpr std::string_view kUnmarked = "unmarked";

std::string key_of(std::size_t index) {
  return fmt::format("{}{:06}", kVirusFilesKey, index);
}

std::string mark_of(const fs::path& file, const Cancel& cancel) {
  UniqueFd open = open_to_read(file, O_NONBLOCK);
  if (open.get() < 0) {
    throw Error(ErrorKind::kInputRead, Place{.file = file.string()}, errno_text(errno))
        .advised(
            "The program reads this file to see if a run wrote it. Check that you may read it, "
            "then run this again.");
  }
  RawBytes bytes(std::move(open));
  ContentHash hash;
  for (std::string_view part = bytes.peek(); !part.empty(); part = bytes.peek()) {
    cancel.check();
    hash.update(as_bytes(part));
    bytes.take(part.size());
  }
  return fmt::format("{} {}", bytes.taken(), hash.hex());
}

// Returns the record as text. Paths come last, because they may contain any byte.
std::string text_of(const FastqRecord& record) {
  const std::string_view state = record.pending ? kPending : record.unmarked ? kUnmarked : "";
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}{}",
                     record.pair_rule == PairRule::kBoth ? kBoth : kEither, state,
                     fmt::join(record.marks, "\n"), fmt::join(record.replaced, "\n"),
                     record.run.size(), record.run, record.prefix);
}

FastqRecord parse_record(std::string_view text) {
  const auto next = [&text] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return std::string(line);
  };
  FastqRecord record;
  if (next() == kBoth) record.pair_rule = PairRule::kBoth;
  const std::string state = next();
  record.pending = state == kPending;
  record.unmarked = state == kUnmarked;
  std::ranges::generate(record.marks, next);
  std::ranges::generate(record.replaced, next);
  const std::size_t size = std::min<std::size_t>(parse_count(next()).value_or(0), text.size());
  record.run = text.substr(0, size);
  record.prefix = text.substr(size);
  return record;
}

fs::path name_of(const FastqRecord& record, std::size_t index) {
  return fastq_names(record.prefix).at(index);
}

fs::path directory_of(const Journal& journal) {
  return absolute_path(journal.path().parent_path().string());
}

// True if this run is a copy of the run that wrote the files. A moved run is not a copy.
bool is_of_original(const FastqRecord& record, const fs::path& run) {
  std::error_code error;
  return !record.run.empty() && fs::exists(run_files::kJournal.in(record.run), error) &&
         !fs::equivalent(record.run, run, error);
}

// True if the run wrote the file at this name: the file's mark equals the recorded or the replaced
// mark. If true, stores the file's mark in `replaced`; if false, empties `replaced`.
bool is_own(FastqRecord& record, std::size_t index, const Cancel& cancel) {
  const std::string before = std::exchange(record.replaced.at(index), {});
  const std::string& mark = record.marks.at(index);
  std::error_code error;
  const bool is_file = fs::is_regular_file(fs::symlink_status(name_of(record, index), error));
  if (!is_file || (mark.empty() && before.empty())) return false;
  const std::string now = mark_of(name_of(record, index), cancel);
  if (now != mark && now != before) return false;
  record.replaced.at(index) = now;
  return true;
}

[[noreturn]] void refuse(const FastqRecord& record, std::size_t index) {
  throw Error(
      ErrorKind::kOutputExists, Place{.file = name_of(record, index).string()},
      record.unmarked
          ? "it must get the run's new calls, but may have been changed after the run wrote it"
          : "it must get the run's new calls, but was changed after the run wrote it")
      .advised(
          "Move it away, or let virnucpro export --drop-virus-files rename it; then run this "
          "again.");
}

// Returns what to do with file `index` of a record. Call it only if the command does not name the
// record's prefix and is_own() is false. Errors: kOutputExists if the file was changed, or may have
// been changed, after the run wrote it.
AtName own_name(const FastqRecord& record, std::size_t index) {
  const bool was_written = record.unmarked || !record.marks.at(index).empty();
  const fs::path name = name_of(record, index);
  if (is_at(name) && was_written) refuse(record, index);
  if (record.pending || !was_written) return AtName::kNew;
  if (!record.unmarked)
    log_warning(
        "{}: the run wrote this file, but it is gone; virnucpro export --virus-fastq writes it "
        "again",
        name.string());
  return AtName::kLeave;
}

// Returns what to do with a record's files. `asked` is the output that the command names, or null.
FastqOutput output_of(FastqRecord& record, const FastqOutput* asked, const Cancel& cancel) {
  FastqOutput output{.prefix = record.prefix, .pair_rule = record.pair_rule};
  if (asked != nullptr) output = *asked;
  for (std::size_t k = 0; k < kFastqFiles; ++k) {
    AtName& name = output.names.at(k);
    if (is_own(record, k, cancel)) {
      name = AtName::kOwn;
    } else if (asked == nullptr) {
      name = own_name(record, k);
    } else if (is_at(name_of(record, k)) && record.unmarked) {
      name = AtName::kOwn;
    } else if (is_at(name_of(record, k)) && name == AtName::kReplace) {
      record.replaced.at(k) =
          mark_of(name_of(record, k), cancel);  // so that a resumed run replaces the file, too
    }
  }
  record.pair_rule = output.pair_rule;
  record.pending = true;
  return output;
}

}  // namespace

std::string absolute_prefix(const FastqOutput& output) {
  return fs::path(absolute_path(output.prefix)).lexically_normal().string();
}

FastqRecords fastq_records_of(const Journal& journal) {
  const Journal::Fingerprint print = journal.fingerprint();
  const fs::path run = directory_of(journal);
  FastqRecords records;
  for (std::size_t k = 0; print.contains(key_of(k)); ++k) {
    const std::string& text = print.at(key_of(k));
    if (text.empty()) continue;
    FastqRecord record = parse_record(text);
    if (!is_of_original(record, run)) {
      records.push_back(std::move(record));
      continue;
    }
    log_warning("{}*: these files are not changed: they belong to {}, and this run is a copy of it",
                record.prefix, record.run);
  }
  if (!records.empty() || print.contains(key_of(0))) return records;
  const std::string prefix = entry_of(print, kVirusFastqKey);
  if (prefix.empty()) return records;
  const bool finished = journal.finished();
  return {{.prefix = prefix, .pending = !finished, .unmarked = finished}};
}

Journal::Fingerprint entries_of(const FastqRecords& records, std::size_t earlier) {
  Journal::Fingerprint entries;
  for (std::size_t k = 0; k < std::max(records.size(), earlier); ++k) {
    entries[key_of(k)] = k < records.size() ? text_of(records[k]) : "";
  }
  return entries;
}

void forget_virus_files(Journal::Fingerprint& print) {
  std::erase_if(print, [](const auto& entry) { return entry.first.starts_with(kVirusFilesKey); });
  print.erase(kVirusFastqKey);
  print.erase(kVirusFastaKey);
}

FastqPlan plan_fastq(const fs::path& run, FastqRecords known, const std::vector<FastqOutput>& asked,
                     bool calls_change, const Cancel& cancel) {
  FastqPlan plan{.earlier = known.size()};
  std::vector<FastqOutput> rest = asked;
  for (FastqRecord& record : known) {
    const auto named = std::ranges::find(rest, record.prefix, absolute_prefix);
    if (named != rest.end()) {
      plan.outputs.push_back(output_of(record, &*named, cancel));
      rest.erase(named);
    } else if (record.pending || calls_change) {
      const bool was_pending = record.pending;
      FastqOutput output = output_of(record, nullptr, cancel);
      const bool is_gone = std::ranges::none_of(fastq_names(record.prefix), is_at);
      if (is_gone && !was_pending) continue;
      plan.outputs.push_back(std::move(output));
    }
    plan.records.push_back(std::move(record));
  }
  for (const FastqOutput& output : rest) {
    FastqRecord record{.prefix = absolute_prefix(output)};
    plan.outputs.push_back(output_of(record, &output, cancel));
    plan.records.push_back(std::move(record));
  }
  for (FastqRecord& record : plan.records) record.run = absolute_path(run.string());
  return plan;
}

std::vector<fs::path> files_of(const FastqRecords& records) {
  std::vector<fs::path> files;
  for (const FastqRecord& record : records) {
    for (std::size_t k = 0; k < kFastqFiles; ++k) {
      const bool was_written = record.unmarked || !record.marks.at(k).empty();
      if (was_written && is_at(name_of(record, k))) files.push_back(name_of(record, k));
    }
  }
  return files;
}

void commit_recorded(VirusFiles& files, FastqPlan plan,
                     const std::function<void(const Journal::Fingerprint&)>& describe,
                     const Cancel& cancel) {
  for (VirusFastq& one : files.fastq()) {
    FastqRecord& record =
        *std::ranges::find(plan.records, absolute_prefix(one.wanted()), &FastqRecord::prefix);
    const auto complete = one.complete();
    for (std::size_t k = 0; k < kFastqFiles; ++k) {
      record.marks.at(k) = complete.at(k) == nullptr
                               ? std::string()
                               : mark_of(complete.at(k)->reachable_path(), cancel);
    }
  }
  if (!plan.outputs.empty()) describe(plan.entries());
  files.commit();
  for (FastqRecord& record : plan.records) {
    if (!record.pending) continue;
    record.pending = record.unmarked = false;
    record.replaced = {};
  }
  if (!plan.outputs.empty()) describe(plan.entries());
}

}  // namespace virnucpro

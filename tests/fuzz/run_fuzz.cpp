// A run's directory from a stranger, for the commands that read one: export, report, merge. They
// end with an answer or a typed error, and write into their output folders only.
//
// The input is a text that makes the run's journal through Journal's own functions, so that all its
// checksums are right. Each line has fields between tabs, in which %0a stands for a byte:
//   f KEY VALUE                                  an entry of the fingerprint
//   i NAME RECORDS BYTES HASH FAILED ERROR MESSAGE RECORD OFFSET      the next input
//   p INPUT ID LENGTH CHUNKS SKIP LAST FRAME…    a part of a sequence
//   u                                            the unit of the parts since the last one
//   e                                            the end of the run
//   x OFFSET BYTES                               at last, written over the bytes of the file
// A FRAME is CHUNK NAME OTHERS VIRUS, without the scores if it failed, with commas between them.
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/text.hpp"
#include "fuzz/page_check.hpp"
#include "fuzz/target.hpp"
#include "journal/journal.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "report/write_reports.hpp"
#include "run/export.hpp"
#include "run/merge.hpp"

namespace {

namespace fs = std::filesystem;
using virnucpro::Journal;
using Fields = std::vector<std::string>;

const virnucpro::Cancel kNever;

std::string without_escapes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    unsigned byte = 0;
    const bool escape = text.size() >= 3 && text[0] == '%' &&
                        std::from_chars(&text[1], &text[1] + 2, byte, 16).ptr == &text[1] + 2;
    out += escape ? static_cast<char>(byte) : text[0];
    text.remove_prefix(escape ? 3 : 1);
  }
  return out;
}

std::uint64_t count_at(const Fields& fields, std::size_t index) {
  return index < fields.size() ? virnucpro::parse_count(fields[index]).value_or(0) : 0;
}

std::string text_at(const Fields& fields, std::size_t index) {
  return index < fields.size() ? fields[index] : std::string();
}

virnucpro::FrameScore frame_of(std::string_view text) {
  Fields fields;
  for (const std::string_view field : virnucpro::split_list(text)) fields.emplace_back(field);
  virnucpro::FrameScore frame{.chunk = count_at(fields, 0),
                              .name = static_cast<std::uint8_t>(count_at(fields, 1)),
                              .failed = fields.size() < 4};
  if (frame.failed) return frame;
  const auto score = [&fields](std::size_t index) {
    return static_cast<float>(virnucpro::parse_number(fields[index]).value_or(0.5));
  };
  frame.scores.others = score(2);
  frame.scores.virus = score(3);
  return frame;
}

virnucpro::SequencePart part_of(const Fields& fields) {
  virnucpro::SequencePart part{.input = static_cast<std::uint32_t>(count_at(fields, 1)),
                               .id = text_at(fields, 2),
                               .length = count_at(fields, 3),
                               .chunks = count_at(fields, 4),
                               .skip = static_cast<virnucpro::Skip>(count_at(fields, 5) % 3),
                               .last = count_at(fields, 6) != 0,
                               .frames = {}};
  for (std::size_t k = 7; k < fields.size(); ++k) part.frames.push_back(frame_of(fields[k]));
  return part;
}

// A run counts no more than SQLite's integers hold.
std::uint64_t counted_at(const Fields& fields, std::size_t index) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return std::min(count_at(fields, index), kMost);
}

virnucpro::InputEntry input_of(const Fields& fields) {
  return {.name = text_at(fields, 1),
          .records = counted_at(fields, 2),
          .bytes = counted_at(fields, 3),
          .hash = text_at(fields, 4),
          .failed = count_at(fields, 5) != 0,
          .error = text_at(fields, 6),
          .message = text_at(fields, 7),
          .record = counted_at(fields, 8),
          .offset = counted_at(fields, 9)};
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Writes the journal that a text describes.
class JournalMaker {
 public:
  explicit JournalMaker(const fs::path& scratch) : journal_(Journal::create_scratch(scratch, {})) {}

  void add(const Fields& fields) {
    const std::string& kind = fields[0];
    if (kind == "f") journal_.describe({{text_at(fields, 1), text_at(fields, 2)}});
    if (kind == "x") patches_.emplace_back(count_at(fields, 1), text_at(fields, 2));
    if (journal_.finished()) return;
    if (kind == "i") journal_.record_input(inputs_++, input_of(fields));
    if (kind == "p") unit_.parts.push_back(part_of(fields));
    if (kind == "e") journal_.finish();
    if (kind == "u") append();
  }

  void copy_to(const fs::path& file) const {
    std::string bytes = bytes_of(journal_.path());
    for (const auto& [offset, patch] : patches_) {
      const std::size_t place = offset % bytes.size();
      bytes.replace(place, patch.size(), patch);
    }
    std::ofstream(file, std::ios::binary) << bytes;
  }

 private:
  // The next unit of the input that its first part names.
  void append() {
    constexpr std::uint32_t kMostInputs = std::numeric_limits<std::int32_t>::max();
    unit_.input = unit_.parts.empty() ? 0 : unit_.parts.front().input & kMostInputs;
    const auto before = journal_.extents().find(unit_.input);
    unit_.index = before == journal_.extents().end() ? 0 : before->second.units;
    journal_.append(unit_);
    unit_ = {};
  }

  Journal journal_;
  std::uint32_t inputs_ = 0;
  virnucpro::Unit unit_;
  std::vector<std::pair<std::size_t, std::string>> patches_;
};

void make_run(std::string_view text, const fs::path& scratch, const fs::path& run) {
  JournalMaker maker(scratch);
  for (const std::string_view line : virnucpro::split_list(text, '\n')) {
    Fields fields;
    for (const std::string_view field : virnucpro::split_list(line, '\t')) {
      fields.push_back(without_escapes(field));
    }
    maker.add(fields);
  }
  maker.copy_to(virnucpro::run_files::kJournal.in(run));
}

template <typename Command>
void call(const Command& command) {
  try {
    command();
  } catch (const virnucpro::Error& error) {
    if (error.kind() == virnucpro::ErrorKind::kInternal) __builtin_trap();
  }
}

void report(const fs::path& run, const fs::path& output) {
  const virnucpro::KeptRun kept(run, kNever);
  virnucpro::write_reports(kept.journal(), {.run = run, .output = output}, {}, kNever);
  virnucpro::fuzz::check_html(bytes_of(virnucpro::run_files::kReportHtml.in(output)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const virnucpro::TemporaryFolder folder;
  const auto made = [&folder](const char* name) {
    fs::create_directory(folder.path() / name);
    return folder.path() / name;
  };
  const fs::path run = made("run");
  make_run({reinterpret_cast<const char*>(data), size}, folder.path() / "scratch", run);
  const fs::path reports = made("reports");
  call([&] { report(run, reports); });
  const fs::path exported = made("exported");
  call([&] { virnucpro::export_run({.run = run, .output = exported, .force = true}, kNever); });
  const fs::path merged = made("merged");
  call([&] {
    virnucpro::merge_runs(
        {.runs = {run}, .output = merged, .existing = virnucpro::Existing::kReplace}, kNever);
  });
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    names.insert(entry.path().filename().string());
  }
  if (names != std::set<std::string>{"exported", "merged", "reports", "run"}) __builtin_trap();
  return 0;
}

#include "run/sequence_rereader.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "journal/known_parts.hpp"
#include "journal/run_files.hpp"
#include "observe/counters.hpp"
#include "run/input_check.hpp"
#include "sequence/record.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

constexpr const char* kNameScored =
    "Name the files that were scored (export --inputs), or run predict --force.";

// The records of the inputs that did not fail, checked against the journal.
class GoodRecords {
 public:
  // An interrupted run has no entries for the input that it was reading and for later inputs. Then
  // the parts of the inputs are compared with the journal `scored`, which is null if every input
  // has an entry.
  GoodRecords(InputSettings inputs, FrameStreamSettings cutting, std::vector<InputEntry> entries,
              const Journal* scored, const Cancel& cancel)
      : inputs_(std::move(inputs), cancel),
        entries_(std::move(entries)),
        stream_(inputs_, records_alone(std::move(cutting)), nullptr, counters_, cancel) {
    entries_.resize(inputs_.size());
    if (scored != nullptr) scored_.emplace(*scored);
  }

  std::shared_ptr<const InputRecord> next() {
    while (std::optional<FrameEvent> event = stream_.next()) {
      if (const auto* part = std::get_if<FramePart>(&*event)) {
        check(part->part);
        if (part->record && !entries_[part->part.input].failed) return part->record;
      } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
        check(*end);
      } else if (const auto& failure = std::get<InputFailure>(*event);
                 !entries_[failure.input].failed) {
        throw failure.error;
      }
    }
    throw Error(ErrorKind::kInputChanged,
                "the inputs have fewer sequences than when they were scored")
        .advised(kNameScored);
  }

  void finish() {
    while (std::optional<FrameEvent> event = stream_.next()) {
      if (const auto* part = std::get_if<FramePart>(&*event)) check(part->part);
      if (const auto* end = std::get_if<InputEnd>(&*event)) check(*end);
      if (const auto* failure = std::get_if<InputFailure>(&*event)) check(*failure);
    }
  }

 private:
  static FrameStreamSettings records_alone(FrameStreamSettings cutting) {
    cutting.keep_records = true;
    cutting.frames = false;
    return cutting;
  }

  void check(const SequencePart& part) {
    if (!scored_ || entries_[part.input].failed) return;
    const std::optional<SequencePart> before = next_scored();
    if (!before || is_same_part(*before, part)) return;  // the journal has no further parts
    fail(inputs_.name(part.input), fmt::format("sequence {}", before->id));
  }

  // Returns the journal's next part. Skips parts of failed inputs: such an input may now fail at
  // another record.
  std::optional<SequencePart> next_scored() {
    std::optional<SequencePart> part = scored_->next();
    while (part && part->input < entries_.size() && entries_[part->input].failed) {
      part = scored_->next();
    }
    return part;
  }

  // Throws if an input fails now, although the run had read it to its end.
  void check(const InputFailure& failure) const {
    const InputEntry& entry = entries_[failure.input];
    if (!entry.failed && !entry.hash.empty()) throw Error(failure.error);
  }

  void check(const InputEnd& end) const {
    const InputEntry& entry = entries_[end.input];
    if (!entry.hash.empty() && entry.hash != end.hash) fail(inputs_.name(end.input), "the file");
  }

  [[noreturn]] static void fail(const std::string& input, std::string_view what) {
    throw Error(
        ErrorKind::kInputChanged, Place{.file = input},
        fmt::format("{} changed after it was scored, so sequences called virus cannot be written",
                    what))
        .advised(kNameScored);
  }

  InputSet inputs_;
  std::vector<InputEntry> entries_;
  RunCounters counters_;  // never read: the run is over
  FrameStream stream_;
  std::optional<PartReader> scored_;
};

// A saved header begins with the input's index, '+' for the mate of the record before (else ' '),
// and the mate's number. The letters begin with a blank, which readers skip: a '+' or '@' at their
// start would begin another line of FASTQ.
constexpr char kMate = '+';
constexpr char kNoMate = ' ';
constexpr std::size_t kMostAdded = 64;  // bytes of the three facts, and of a pair's /1 or /2

void append_saved(std::string& text, const InputRecord& record, bool with_qualities) {
  const SequenceRecord& read = record.record;
  const std::string header =
      fmt::format("{}{}{}{}", record.input, record.with_previous ? kMate : kNoMate, read.mate,
                  header_with_id(record));
  if (with_qualities) {
    append_fastq(text, header, " " + read.letters, read.qualities);
  } else {
    append_fasta_line(text, header, " " + read.letters);
  }
}

InputRecord saved_record(const InputRecord& saved) {
  InputRecord record = saved;
  std::string& header = record.record.header;
  const std::size_t end = header.find_first_of({kMate, kNoMate});
  record.input = static_cast<std::uint32_t>(parse_count(header.substr(0, end)).value_or(0));
  record.with_previous = header.at(end) == kMate;
  record.record.mate = static_cast<unsigned>(header.at(end + 1) - '0');
  header.erase(0, end + 2);
  record.id = sequence_id(header);
  return record;
}

}  // namespace

SequenceRereader::SequenceRereader(InputSettings inputs, const FrameStreamSettings& cutting,
                                   const RunFolder& directory)
    : inputs_(std::move(inputs)), cutting_(cutting) {
  if (has_pipe(inputs_)) {
    spool_.emplace(directory.place(run_files::kSpool));
  }
}

void SequenceRereader::add(const InputRecord& record) {
  std::string text;
  append_saved(text, record, inputs_.qualities);
  spool_->write(text);
}

void SequenceRereader::keep() {
  if (spool_) kept_ = spool_->size();
}

void SequenceRereader::drop() {
  if (spool_) spool_->truncate(kept_);
}

void SequenceRereader::write(const Journal& journal, const CallRule& rule, VirusFiles& files,
                             const Cancel& cancel) {
  InputSettings inputs = inputs_;
  FrameStreamSettings cutting = cutting_;
  std::vector<InputEntry> entries = journal.inputs();
  if (spool_) {
    spool_->truncate(kept_);  // also flushes the buffer
    inputs = {.paths = {spool_->reachable_path().string()},
              .paired = false,
              .qualities = inputs_.qualities,
              .longest_id = kLongestAllowedId + kMostAdded,
              .longest_header = kLongestHeader + kMostAdded};
    entries = {InputEntry{}};
    cutting.shard = {};  // the saved records are all of this shard
  }
  // Do not compare saved sequences: no other process could change them, and their parts differ.
  const Journal* scored = spool_ || journal.finished() ? nullptr : &journal;
  GoodRecords records(std::move(inputs), cutting, std::move(entries), scored, cancel);
  for_each_call(journal, rule, cancel, [&](std::uint32_t, std::uint64_t, bool is_virus) {
    const std::shared_ptr<const InputRecord> record = records.next();
    if (spool_) {
      files.add(saved_record(*record), is_virus);
    } else {
      files.add(*record, is_virus);
    }
  });
  records.finish();
  files.finish();
}

}  // namespace virnucpro

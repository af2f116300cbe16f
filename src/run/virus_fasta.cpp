#include "run/virus_fasta.hpp"

#include <string>
#include <utility>

#include "run/input_check.hpp"
#include "run/tables.hpp"
#include "sequence/fasta_text.hpp"

namespace virnucpro {
namespace {

// The records of the inputs that did not fail, one after the other, checked against the journal.
class GoodRecords {
 public:
  // An interrupted run has no entry for the input that it was reading, and those behind it.
  GoodRecords(InputSettings settings, const Shard& shard, std::vector<InputEntry> entries,
              const Cancel& cancel)
      : inputs_(std::move(settings), cancel), shard_(shard), entries_(std::move(entries)) {
    entries_.resize(inputs_.size());
  }

  InputRecord next() {
    while (std::optional<InputEvent> event = inputs_.next()) {
      if (auto* record = std::get_if<InputRecord>(&*event)) {
        if (shard_.has(number_++) && !entries_[record->input].failed) return std::move(*record);
      } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
        check(*end);
      } else if (const auto& failure = std::get<InputFailure>(*event);
                 !entries_[failure.input].failed) {
        throw failure.error;
      }
    }
    throw Error(ErrorKind::kInputChanged, "it holds fewer sequences than when it was scored");
  }

  void finish() {
    while (std::optional<InputEvent> event = inputs_.next()) {
      if (const auto* end = std::get_if<InputEnd>(&*event)) check(*end);
    }
  }

 private:
  void check(const InputEnd& end) const {
    const InputEntry& entry = entries_[end.input];
    if (entry.hash.empty() || entry.hash == end.hash) return;
    throw Error(ErrorKind::kInputChanged, Place{.file = entry.name},
                "it is not what was scored, and virus.fasta cannot be written from it");
  }

  InputSet inputs_;
  const Shard shard_;
  std::uint64_t number_ = 0;  // of records read
  std::vector<InputEntry> entries_;
};

}  // namespace

SequenceRereader::SequenceRereader(InputSettings inputs, const Shard& shard,
                                   const std::filesystem::path& directory)
    : inputs_(std::move(inputs)), shard_(shard) {
  if (has_pipe(inputs_)) {
    spool_.emplace(directory / "sequences.fasta");
  }
}

void SequenceRereader::add(const InputRecord& record) {
  // The blank is not read as a letter. Without it letters that begin with '>', which FASTQ may
  // have, would be read as a header.
  std::string text;
  append_fasta_line(text, record.record.header, " " + record.record.letters);
  spool_->write(text);
}

void SequenceRereader::keep() {
  if (spool_) kept_ = spool_->size();
}

void SequenceRereader::drop() {
  if (spool_) spool_->truncate(kept_);
}

void SequenceRereader::write(const Journal& journal, double threshold,
                             const std::filesystem::path& path, const Cancel& cancel) {
  InputSettings inputs = inputs_;
  Shard shard = shard_;
  std::vector<InputEntry> entries = journal.inputs();
  if (spool_) {
    spool_->truncate(kept_);  // also flushes what is still buffered
    inputs = {.paths = {spool_->partial_path().string()}, .paired = false};
    entries = {InputEntry{}};
    shard = {};  // no other records were put aside
  }
  GoodRecords records(std::move(inputs), shard, std::move(entries), cancel);
  AtomicFile out(path);
  std::string text;
  for_each_call(journal, threshold, cancel, [&](std::uint32_t, std::uint64_t, bool virus) {
    const InputRecord record = records.next();
    if (!virus) return;
    text.clear();
    append_fasta_60(text, record.record.header, record.record.letters);
    out.write(text);
  });
  records.finish();
  out.commit();
}

}  // namespace virnucpro

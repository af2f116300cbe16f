#include "run/virus_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
std::vector<std::filesystem::path> fastq_names(const std::string& prefix) {
  std::vector<std::filesystem::path> names;
  for (const char* mate : {"", "_1", "_2"}) {
    names.emplace_back(fmt::format("{}{}.fastq.gz", prefix, mate));
  }
  return names;
}

VirusFastq::VirusFastq(const std::string& prefix, PairRule rule, bool paired)
    : names_(fastq_names(prefix)), rule_(rule) {
  if (paired) {
    pairs_.emplace(names_);
  } else {
    singles_.emplace(names_.front());
  }
}

void VirusFastq::add(const InputRecord& record, bool is_virus) {
  if (held_ && record.with_previous) {
    write_pair(*held_, {.record = record, .is_virus = is_virus});
    held_.reset();
    return;
  }
  write_held();
  held_ = Held{.record = record, .is_virus = is_virus};
}

void VirusFastq::finish() {
  write_held();
  if (singles_) singles_->finish();
  if (!pairs_) return;
  pairs_->first.finish();
  pairs_->second.finish();
}

void VirusFastq::commit() {
  if (singles_) singles_->commit();
  if (!pairs_) return;
  pairs_->first.commit();
  pairs_->second.commit();
}

// Mates of a BAM stand in either order.
void VirusFastq::write_pair(const Held& one, const Held& other) {
  const bool is_wanted =
      rule_ == PairRule::kBoth ? one.is_virus && other.is_virus : one.is_virus || other.is_virus;
  if (!is_wanted) return;
  if (!pairs_) pairs_.emplace(names_);
  const bool in_order = one.record.id.ends_with("/1");
  write(pairs_->first, (in_order ? one : other).record);
  write(pairs_->second, (in_order ? other : one).record);
}

void VirusFastq::write_held() {
  const std::optional<Held> alone = std::exchange(held_, std::nullopt);
  if (alone && alone->is_virus) write(*singles_, alone->record);
}

void VirusFastq::write(BgzfFile& file, const InputRecord& record) {
  text_.clear();
  append_fastq(text_, header_with_id(record), record.record.letters, record.record.qualities);
  file.write(text_);
}

VirusFiles::VirusFiles(const VirusOutputs& wanted, const FilePlace& fasta, bool paired,
                       std::vector<std::string> inputs)
    : inputs_(std::move(inputs)) {
  if (wanted.fasta) fasta_.emplace(fasta);
  if (!wanted.fastq.empty()) fastq_.emplace(wanted.fastq, wanted.pair_rule, paired);
}

void VirusFiles::add(const InputRecord& record, bool is_virus) {
  if (fasta_ && is_virus) write_fasta(record);
  if (fastq_) fastq_->add(record, is_virus);
}

void VirusFiles::finish() {
  if (fasta_) fasta_->sync();
  if (fastq_) fastq_->finish();
}

void VirusFiles::commit() {
  if (fasta_) fasta_->commit();
  if (fastq_) fastq_->commit();
}

void VirusFiles::write_fasta(const InputRecord& record) {
  std::string header = header_with_id(record);
  if (inputs_.size() > 1) header += fmt::format(" input={}", printable(inputs_.at(record.input)));
  text_.clear();
  append_fasta_60(text_, header, record.record.letters);
  fasta_->write(text_);
}

}  // namespace virnucpro

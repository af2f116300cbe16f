#include "run/virus_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "run/input_check.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

void require_absent(const fs::path& name) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(name, error))) return;
  throw Error(ErrorKind::kOutputExists, Place{.file = name.string()}, "");
}

}  // namespace
std::vector<fs::path> fastq_names(const std::string& prefix) {
  std::vector<fs::path> names;
  for (const char* ending : kFastqEndings) names.emplace_back(prefix + ending);
  return names;
}

void require_fastq_place(const VirusOutputs& wanted, const InputSettings& inputs) {
  if (wanted.fastq.empty()) return;
  const std::vector<fs::path> names = fastq_names(wanted.fastq);
  require_inputs_kept(inputs, names);
  for (const fs::path& name : names) {
    if (!wanted.may_replace) require_absent(name);
    const AtomicFile can_be_made(name);
  }
}

VirusFastq::VirusFastq(const VirusOutputs& wanted, bool paired)
    : names_(fastq_names(wanted.fastq)), rule_(wanted.pair_rule), may_replace_(wanted.may_replace) {
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
  if (record.record.mate != 0) {
    held_ = Held{.record = record, .is_virus = is_virus};
  } else if (is_virus) {
    write(*singles_, record);
  }
}

void VirusFastq::finish() {
  write_held();
  if (singles_) singles_->finish();
  if (!pairs_) return;
  pairs_->first.finish();
  pairs_->second.finish();
}

void VirusFastq::commit() {
  if (!may_replace_) std::ranges::for_each(names_, require_absent);  // made meanwhile
  const auto end = [](const fs::path& name, BgzfFile* file) {
    std::error_code error;
    if (file != nullptr) {
      file->commit();
    } else {
      fs::remove(name, error);
    }
  };
  end(names_[0], singles_ ? &*singles_ : nullptr);
  end(names_[1], pairs_ ? &pairs_->first : nullptr);
  end(names_[2], pairs_ ? &pairs_->second : nullptr);
  if (parted_ == 0) return;
  log_warning(
      "{} reads called virus do not stand beside their mates, and {}: in a file sorted by name "
      "they would (samtools collate)",
      grouped(parted_), rule_ == PairRule::kBoth ? "are left out" : "are written without them");
}

// Mates of a BAM stand in either order.
void VirusFastq::write_pair(const Held& one, const Held& other) {
  const bool is_wanted =
      rule_ == PairRule::kBoth ? one.is_virus && other.is_virus : one.is_virus || other.is_virus;
  if (!is_wanted) return;
  if (!pairs_) pairs_.emplace(names_);
  const bool in_order = one.record.record.mate == 1;
  write(pairs_->first, (in_order ? one : other).record);
  write(pairs_->second, (in_order ? other : one).record);
}

// Of a run of pairs that was interrupted, the last mate may be alone: the other has no score yet.
void VirusFastq::write_held() {
  const std::optional<Held> alone = std::exchange(held_, std::nullopt);
  if (!alone || !alone->is_virus || !singles_) return;
  ++parted_;
  if (rule_ == PairRule::kEither) write(*singles_, alone->record);
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
  if (!wanted.fastq.empty()) fastq_.emplace(wanted, paired);
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

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

constexpr const char* kOfOldRule = ".of-old-rule";

void require_absent(const fs::path& name) {
  if (!is_at(name)) return;
  throw Error(ErrorKind::kOutputExists, Place{.file = name.string()}, "")
      .advised(
          "Move it away, or choose another prefix with --virus-fastq; with --force it is "
          "replaced.");
}

}  // namespace

bool is_at(const fs::path& name) {
  std::error_code error;
  return fs::exists(fs::symlink_status(name, error));
}

void require_can_drop(const fs::path& file) {
  const fs::path aside = file.string() + kOfOldRule;
  if (!is_at(aside)) return;
  throw Error(ErrorKind::kOutputExists, Place{.file = aside.string()},
              fmt::format("{} must be renamed to this name", file.filename().string()))
      .advised("Move it away, then run this again.");
}

void drop(const fs::path& file) {
  require_can_drop(file);
  const fs::path aside = file.string() + kOfOldRule;
  std::error_code error;
  fs::rename(file, aside, error);
  if (error) throw write_error(file, error.value());
  log_warning(
      "{}: renamed to {}, because its calls may be out of date; this command does not replace it",
      file.string(), aside.filename().string());
}

std::vector<fs::path> fastq_names(const std::string& prefix) {
  std::vector<fs::path> names;
  for (const char* ending : kFastqEndings) names.emplace_back(prefix + ending);
  return names;
}

void require_fastq_place(const VirusOutputs& wanted, const InputSettings& inputs) {
  for (const FastqOutput& one : wanted.fastq) {
    const std::vector<fs::path> names = fastq_names(one.prefix);
    require_inputs_kept(inputs, names);
    for (std::size_t k = 0; k < kFastqFiles; ++k) {
      if (one.names.at(k) == AtName::kLeave) continue;
      const bool is_certain = inputs.paired ? k > 0 : k == 0;  // true: every run makes this file
      if (one.names.at(k) == AtName::kReplace && !is_certain && is_at(names[k])) {
        require_can_drop(names[k]);
      }
      if (one.names.at(k) == AtName::kNew) require_absent(names[k]);
      const AtomicFile can_be_made(names[k]);
    }
  }
}

VirusFastq::VirusFastq(const FastqOutput& wanted, bool paired)
    : wanted_(wanted), names_(fastq_names(wanted.prefix)) {
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

std::array<BgzfFile*, kFastqFiles> VirusFastq::complete() {
  std::array<BgzfFile*, kFastqFiles> files{singles_ ? &*singles_ : nullptr,
                                           pairs_ ? &pairs_->first : nullptr,
                                           pairs_ ? &pairs_->second : nullptr};
  for (std::size_t k = 0; k < kFastqFiles; ++k) {
    if (wanted_.names.at(k) == AtName::kLeave) files.at(k) = nullptr;
  }
  return files;
}

void VirusFastq::commit() {
  for (std::size_t k = 0; k < kFastqFiles; ++k) {  // a file may have appeared since the first check
    if (wanted_.names.at(k) == AtName::kNew) require_absent(names_[k]);
  }
  const std::array<BgzfFile*, kFastqFiles> files = complete();
  const auto is_left = [&](std::size_t k) {
    return files.at(k) == nullptr && wanted_.names.at(k) == AtName::kReplace && is_at(names_[k]);
  };
  for (std::size_t k = 0; k < kFastqFiles; ++k) {
    if (is_left(k)) require_can_drop(names_[k]);
  }
  for (std::size_t k = 0; k < kFastqFiles; ++k) {
    std::error_code error;
    if (is_left(k)) drop(names_[k]);
    if (files.at(k) != nullptr) {
      files.at(k)->commit();
      log_info("wrote {}", names_[k].string());
    } else if (wanted_.names.at(k) == AtName::kOwn && fs::remove(names_[k], error)) {
      log_info("removed {}", names_[k].string());
    }
  }
  if (parted_ == 0) return;
  log_warning(
      "reads called virus, but not next to their mates: {}; such a read is {}. To keep pairs "
      "together, sort the input by name (samtools collate)",
      grouped(parted_), wanted_.pair_rule == PairRule::kBoth ? "not written" : "written alone");
}

// Writes both mates of a wanted pair. In a BAM either mate may come first.
void VirusFastq::write_pair(const Held& one, const Held& other) {
  const bool is_wanted = wanted_.pair_rule == PairRule::kBoth ? one.is_virus && other.is_virus
                                                              : one.is_virus || other.is_virus;
  if (!is_wanted) return;
  if (!pairs_) pairs_.emplace(names_);
  const bool in_order = one.record.record.mate == 1;
  write(pairs_->first, (in_order ? one : other).record);
  write(pairs_->second, (in_order ? other : one).record);
}

// Writes the held mate, whose partner did not follow it. Writes nothing for paired inputs: there
// the scores of an interrupted run can end between two mates.
void VirusFastq::write_held() {
  const std::optional<Held> alone = std::exchange(held_, std::nullopt);
  if (!alone || !alone->is_virus || !singles_) return;
  ++parted_;
  if (wanted_.pair_rule == PairRule::kEither) write(*singles_, alone->record);
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
  for (const FastqOutput& one : wanted.fastq) fastq_.emplace_back(one, paired);
}

void VirusFiles::add(const InputRecord& record, bool is_virus) {
  if (fasta_ && is_virus) write_fasta(record);
  for (VirusFastq& one : fastq_) one.add(record, is_virus);
}

void VirusFiles::finish() {
  if (fasta_) fasta_->sync();
  for (VirusFastq& one : fastq_) one.finish();
}

void VirusFiles::commit() {
  if (fasta_) {
    fasta_->commit();
    log_info("wrote {}", fasta_->path().string());
  }
  for (VirusFastq& one : fastq_) one.commit();
}

void VirusFiles::write_fasta(const InputRecord& record) {
  std::string header = header_with_id(record);
  if (inputs_.size() > 1) header += fmt::format(" input={}", printable(inputs_.at(record.input)));
  text_.clear();
  append_fasta_60(text_, header, record.record.letters);
  fasta_->write(text_);
}

}  // namespace virnucpro

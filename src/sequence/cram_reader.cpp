#include "sequence/cram_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/host.hpp"
#include "base/text.hpp"
#include "sequence/record.hpp"
#include "sequence/system_call_filter.hpp"

namespace virnucpro {
namespace {

// The limit of htslib's memory in bytes is higher than its need: kMemory, plus kMemoryOf… for each
// header byte, each record and base of a container, each index byte, and each reference letter.
constexpr std::uint64_t kMemory = 32U << 20U;
constexpr std::uint64_t kMemoryOfHeader = 24;
constexpr std::uint64_t kMemoryOfRecord = 512;
constexpr std::uint64_t kMemoryOfBase = 6;
constexpr std::uint64_t kMemoryOfIndex = 32;  // for each byte of the .fai, which is loaded twice
constexpr std::uint64_t kMostOfIndex = 256U << 20U;
constexpr std::uint64_t kMemoryOfReferenceLetter = 2;

// The decoder's limit of processor time is many times its need: kSeconds seconds, plus one second
// for each kMemoryOfSecond bytes of memory.
constexpr std::uint64_t kSeconds = 30;
constexpr std::uint64_t kMemoryOfSecond = 2U << 20U;

constexpr std::int32_t kManyReferences = -2;  // CramContainer::reference if there are several

}  // namespace

CramReader::CramReader(ByteSource& source, std::string file, ReferenceIndex& reference,
                       const Cancel& cancel)
    : bytes_(source), file_(std::move(file)), reference_(reference), cancel_(cancel) {}

std::optional<SequenceRecord> CramReader::next() {
  if (!process_) start();
  return read_record();
}

void CramReader::start() {
  try {
    if (reference_.given()) reference_.prepare(cancel_);
    start_ = read_cram_definition(bytes_);
    const CramContainer header = read_cram_header(bytes_);
    start_ += header.bytes;
    bytes_sent_ = start_.size();
    last_.offset = header.offset;
    process_.emplace(
        reference_.path(), [this] { return next_part(); }, cancel_);
    memory_ = kMemory + kMemoryOfHeader * header.unpacked +
              kMemoryOfReferenceLetter * reference_.letters() +
              std::min(kMemoryOfIndex * reference_.index_bytes(), kMostOfIndex);
    allow();
    frames_.emplace(*process_);
  } catch (const Error& error) {
    throw Error(placed(error));
  }
}

// Returns the next bytes for the process. If reading the file fails, finish() throws the error only
// after next() has returned all earlier records, so that every run returns the same records.
std::optional<std::string> CramReader::next_part() {
  if (!start_.empty()) return std::exchange(start_, {});
  try {
    std::optional<CramContainer> container = next_container();
    if (container) {
      add(*container);
      allow();
      return std::move(container->bytes);
    }
  } catch (const Error& error) {
    failure_ = placed(error);
  }
  ended_ = true;
  return std::nullopt;
}

// Returns the next container that has records; empty at the end of the file. The last container
// must be an end container. Earlier end containers are skipped, because samtools leaves them when
// it joins files or replaces a header.
std::optional<CramContainer> CramReader::next_container() {
  while (!bytes_.at_end()) {
    CramContainer container = read_container();
    at_end_container_ = container.end;
    if (!container.end && container.records != 0) return container;
  }
  if (!at_end_container_) throw Error(ErrorKind::kInputTruncated, "the end container is missing");
  return std::nullopt;
}

CramContainer CramReader::read_container() {
  const std::uint64_t offset = bytes_.offset();
  try {
    return read_cram_container(bytes_, reference_.longest());
  } catch (const Error& error) {
    if (!at_end_container_ || !error.is(ErrorClass::kDamage)) throw;
    throw Error(ErrorKind::kInputCorrupt, Place{.offset = offset},
                "the bytes after the end container are cut, or are not a container");
  }
}

// Adds a container to sent_. If its reads lie on several reference sequences, htslib may read the
// whole reference again, so memory_ is added to the container's work.
void CramReader::add(const CramContainer& container) {
  const std::uint64_t needed = 2 * container.bytes.size() + 2 * container.unpacked +
                               kMemoryOfRecord * container.records +
                               kMemoryOfBase * container.bases;
  claimed_ += container.records;
  const std::uint64_t begin = std::exchange(bytes_sent_, bytes_sent_ + container.bytes.size());
  sent_.push_back({.last = claimed_,
                   .offset = container.offset,
                   .begin = begin,
                   .end = bytes_sent_,
                   .work = needed + (container.reference == kManyReferences ? memory_ : 0),
                   .needs_reference = container.reference != -1 && container.needs_reference,
                   .many_references = container.reference == kManyReferences});
  work_ += sent_.back().work;
  most_needed_ = std::max(most_needed_, needed);
}

// Sets the process's limits. The limit of memory never falls: the process may still decode an
// earlier container, and does not free the memory that the largest one needed.
void CramReader::allow() {
  process_->allow(memory_ + most_needed_, kSeconds + (memory_ + work_) / kMemoryOfSecond);
}

std::optional<SequenceRecord> CramReader::read_record() {
  while (!frames_->at_end()) {
    CramFrame frame;
    std::string name;
    std::string letters;
    try {
      frame = value_at<CramFrame>(frames_->read(sizeof(frame)));
      if (frame.letters == kCramBegun) {
        begun_ = true;
        if (frame.unchecked != 0) say_unfiltered();
        continue;
      }
      while (name.size() < frame.name) name += frames_->read_some(frame.name - name.size());
      if (frame.letters == kCramFailure) {
        const auto kind = static_cast<ErrorKind>(frame.flags);
        const bool is_reference =
            kind == ErrorKind::kInputReference || kind == ErrorKind::kInputRead;
        fail_to_decode(is_reference ? kind : ErrorKind::kInputCorrupt, std::move(name));
      }
      if (frame.letters > kMaxLetters) {
        fail_to_decode(ErrorKind::kInputTooLong, fmt::format("more than {} letters", kMaxLetters));
      }
      while (letters.size() < frame.letters) {
        letters += frames_->read_some(frame.letters - letters.size());
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInputTruncated) throw;
      break;  // the process ended within a frame
    }
    if (!is_one_word(name)) {
      fail_to_decode(ErrorKind::kInputMalformed,
                     fmt::format("the read's name \"{}\" is not one word", shown_text(name)));
    }
    count_record(frame);
    if (skipped_.skip(frame.flags)) continue;
    return original_read(
        frame.flags,
        {.header = std::move(name), .letters = std::move(letters), .number = records_});
  }
  finish();
  return std::nullopt;
}

// Checks the next record against its container's counts. Also refuses a reference without MD5 if
// the container's reads lie on several references; in other containers htslib checks the reference.
void CramReader::count_record(const CramFrame& frame) {
  if (sent_.empty() || frame.input <= sent_.front().begin) {
    throw Error(ErrorKind::kInputCorrupt,
                Place{.file = file_, .record = records_ + 1, .offset = last_.offset},
                "the CRAM container holds more records than its header says");
  }
  if (frame.input > sent_.front().end) {
    fail_to_decode(ErrorKind::kInputCorrupt,
                   "the CRAM container holds fewer records than its header says");
  }
  if (frame.unchecked != 0 && sent_.front().needs_reference && sent_.front().many_references) {
    fail_to_decode(
        ErrorKind::kInputReference,
        "the CRAM's header names no MD5 (M5) of the read's reference sequence, so the reference "
        "cannot be verified",
        "Convert the CRAM to BAM: samtools view -b -T REFERENCE FILE.");
  }
  if (++records_ < sent_.front().last) return;
  last_ = sent_.front();
  work_ -= last_.work;
  sent_.pop_front();
}

void CramReader::fail_to_decode(ErrorKind kind, std::string detail, std::string advice) {
  // If the header cannot be decoded, the error has the header's offset and not a container's:
  // whether a container was sent before the failure depends on timing.
  const Sent at = begun_ && !sent_.empty() ? sent_.front() : last_;
  if (kind == ErrorKind::kInputCorrupt && detail.empty()) {
    detail = "the records of a CRAM container cannot be decoded";
    if (at.needs_reference && !reference_.given()) {
      kind = ErrorKind::kInputReference;
      detail += ": if they need a reference, give --reference FILE";
    }
  }
  const bool may_lack_memory = kind == ErrorKind::kInputCorrupt || kind == ErrorKind::kInputRead;
  if (may_lack_memory && memory_is_scarce()) kind = ErrorKind::kOutOfMemory;
  Error error(kind, Place{.file = file_, .record = records_ + 1, .offset = at.offset},
              std::move(detail));
  if (!advice.empty()) error.advise(std::move(advice));
  throw Error(error);
}

// Is called after the decoder has ended. Throws if the decoder was killed or did not send all
// records, and throws the errors of the file and the reference.
void CramReader::finish() {
  if (const std::string misdeed = process_->misdeed(); !misdeed.empty()) {
    fail_to_decode(ErrorKind::kInputCorrupt, "the CRAM decoder " + misdeed);
  }
  if (!ended_ || records_ < claimed_) {
    fail_to_decode(ErrorKind::kInputCorrupt, "the CRAM decoder ended before the last record");
  }
  if (failure_) throw Error(*failure_);
  if (const std::optional<Error> changed = reference_.change()) throw Error(*changed);
}

Error CramReader::placed(const Error& error) const {
  if (!error.place().file.empty()) return error;
  const bool own = error.kind() == ErrorKind::kInputTruncated && error.detail().empty();
  return error.placed(Place{.file = file_, .record = claimed_ + 1, .offset = bytes_.bytes()},
                      own ? "within a CRAM container" : error.detail());
}

}  // namespace virnucpro

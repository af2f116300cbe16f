#include "sequence/cram_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sequence/record.hpp"

namespace virnucpro {
namespace {

// What htslib needs, with room to spare: of a header for each of its bytes; of a container for its
// blocks packed and unpacked, its records, and their letters; of a reference for its letters, which
// it may hold in two ways.
constexpr std::uint64_t kMemory = 32U << 20U;
constexpr std::uint64_t kMemoryOfHeader = 24;
constexpr std::uint64_t kMemoryOfRecord = 512;
constexpr std::uint64_t kMemoryOfBase = 6;
constexpr std::uint64_t kMemoryOfReferenceLetter = 2;

// The seconds of a processor that it has, many times what it needs: some, and more for what needs
// so much memory.
constexpr std::uint64_t kSeconds = 30;
constexpr std::uint64_t kMemoryOfSecond = 2U << 20U;

constexpr std::int32_t kManyReferences = -2;  // of a container

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
    if (reference_.given()) reference_.prepare();
    start_ = read_cram_definition(bytes_);
    const CramContainer header = read_cram_header(bytes_);
    start_ += header.bytes;
    bytes_sent_ = start_.size();
    last_.offset = header.offset;
    process_.emplace(
        reference_.path(), [this] { return next_part(); }, cancel_);
    memory_ = kMemory + kMemoryOfHeader * header.unpacked +
              kMemoryOfReferenceLetter * reference_.letters();
    allow();
    frames_.emplace(*process_);
  } catch (const Error& error) {
    throw Error(placed(error));
  }
}

// What the process is given next. A failure of the file waits for the records before it, so that
// it comes behind the same ones each time.
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

// The next one that holds records; empty at the end of the file.
std::optional<CramContainer> CramReader::next_container() {
  while (true) {
    if (bytes_.at_end()) {
      throw Error(ErrorKind::kInputTruncated, "the end container is missing");
    }
    CramContainer container = read_cram_container(bytes_, reference_.longest());
    if (container.end) break;
    if (container.records != 0) return container;
  }
  if (!bytes_.at_end()) {
    throw Error(ErrorKind::kInputCorrupt, Place{.offset = bytes_.offset()},
                "something follows the end container");
  }
  return std::nullopt;
}

// For a container that lies on many sequences the whole reference may be read again.
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

// Memory is never bytes back: the process may be many containers behind, and keeps what the largest
// needed.
void CramReader::allow() const {
  process_->allow(memory_ + most_needed_, kSeconds + (memory_ + work_) / kMemoryOfSecond);
}

// The next one that is not skipped.
std::optional<SequenceRecord> CramReader::read_record() {
  while (!frames_->at_end()) {
    CramFrame frame;
    std::string name;
    std::string letters;
    try {
      std::memcpy(&frame, frames_->read(sizeof(frame)).data(), sizeof(frame));
      if (frame.letters == kCramBegun) {
        begun_ = true;
        continue;
      }
      while (name.size() < frame.name) name += frames_->read_some(frame.name - name.size());
      if (frame.letters == kCramFailure) {
        const auto kind = static_cast<ErrorKind>(frame.flags);
        fail_to_decode(kind == ErrorKind::kInputReference ? kind : ErrorKind::kInputCorrupt,
                       std::move(name));
      }
      if (frame.letters > kMaxLetters) {
        fail_to_decode(ErrorKind::kInputTooLong, fmt::format("more than {} letters", kMaxLetters));
      }
      while (letters.size() < frame.letters) {
        letters += frames_->read_some(frame.letters - letters.size());
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInputTruncated) throw;
      break;  // the process ended within a record
    }
    if (!is_read_name(name)) {
      fail_to_decode(ErrorKind::kInputMalformed, "the read's name is not one word");
    }
    count_record(frame);
    if (skipped_.skip(frame.flags)) continue;
    return original_read(frame.flags, std::move(name), std::move(letters), records_);
  }
  finish();
  return std::nullopt;
}

// Holds the next record to the container that it came from. That the reference is the right one
// htslib sees by itself where a slice lies on one sequence.
void CramReader::count_record(const CramFrame& frame) {
  if (sent_.empty() || frame.input <= sent_.front().begin) {
    throw Error(ErrorKind::kInputCorrupt,
                Place{.file = file_, .record = records_ + 1, .offset = last_.offset},
                "the container holds more records than it names");
  }
  if (frame.input > sent_.front().end) {
    fail_to_decode(ErrorKind::kInputCorrupt, "the container holds fewer records than it names");
  }
  if (frame.unchecked && sent_.front().needs_reference && sent_.front().many_references) {
    fail_to_decode(
        ErrorKind::kInputReference,
        "whether the reference is the right one cannot be known: the CRAM's header names "
        "no MD5 (M5) of its sequences");
  }
  if (++records_ < sent_.front().last) return;
  last_ = sent_.front();
  work_ -= last_.work;
  sent_.pop_front();
}

void CramReader::fail_to_decode(ErrorKind kind, std::string detail) {
  // Whether containers were sent before the header failed is chance.
  const Sent at = begun_ && !sent_.empty() ? sent_.front() : last_;
  if (kind == ErrorKind::kInputCorrupt && detail.empty()) {
    detail = "its records cannot be decoded";
    if (at.needs_reference && !reference_.given()) {
      kind = ErrorKind::kInputReference;
      detail += ": if they need their reference, give --reference FILE";
    }
  }
  throw Error(kind, Place{.file = file_, .record = records_ + 1, .offset = at.offset},
              std::move(detail));
}

// Nothing comes any more: whether all has come.
void CramReader::finish() {
  if (!ended_ || records_ < claimed_) {
    fail_to_decode(ErrorKind::kInputCorrupt, "the decoder gave its records up");
  }
  if (failure_) throw Error(*failure_);
}

Error CramReader::placed(const Error& error) const {
  if (!error.place().file.empty()) return error;
  const bool own = error.kind() == ErrorKind::kInputTruncated && error.detail().empty();
  return {error.kind(),
          Place{.file = file_,
                .record = claimed_ + 1,
                .offset = error.place().offset.value_or(bytes_.bytes())},
          own ? "within a CRAM container" : error.detail()};
}

}  // namespace virnucpro

#include "sequence/cram_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sequence/cram_decoder.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

// What htslib needs, with room to spare: of a header for each of its bytes; of a container for its
// blocks packed and unpacked, its records, and their letters.
constexpr std::uint64_t kMemory = 32U << 20U;
constexpr std::uint64_t kMemoryOfHeader = 24;
constexpr std::uint64_t kMemoryOfRecord = 512;
constexpr std::uint64_t kMemoryOfBase = 6;

// Bases of a container that are believed without a reference: writers close one after some 5
// million, and a longer read fills it.
constexpr std::uint64_t kFreeBases = 8U << 20U;
constexpr std::uint64_t kMostBasesOfByte = 64;

}  // namespace

CramReader::CramReader(ByteSource& source, std::string file, const std::string& reference,
                       const Cancel& cancel)
    : bytes_(source), file_(std::move(file)), reference_path_(reference), cancel_(cancel) {}

std::optional<SequenceRecord> CramReader::next() {
  if (!process_) start();
  return read_record();
}

void CramReader::start() {
  try {
    if (!reference_path_.empty()) reference_.emplace(reference_path_);
    start_ = read_cram_definition(bytes_);
    const CramContainer header = read_cram_container(bytes_);
    start_ += header.bytes;
    last_.offset = header.offset;
    process_.emplace(
        reference_ ? reference_->path() : std::string(), [this] { return next_part(); }, cancel_);
    allowed_ =
        kMemory + kMemoryOfHeader * header.unpacked + (reference_ ? 2 * reference_->letters() : 0);
    process_->allow(allowed_);
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
      allow_for(*container);
      claimed_ += container->records;
      sent_.push_back({claimed_, container->offset, container->reference != -1});
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
    CramContainer container = read_cram_container(bytes_);
    if (container.end) break;
    if (container.records != 0) return container;
  }
  if (!bytes_.at_end()) {
    throw Error(ErrorKind::kInputCorrupt, Place{.offset = bytes_.offset()},
                "something follows the end container");
  }
  return std::nullopt;
}

void CramReader::allow_for(const CramContainer& container) {
  const std::uint64_t size = container.bytes.size();
  const std::uint64_t believed = kFreeBases + kMostBasesOfByte * size;
  const std::uint64_t bases =
      std::min<std::uint64_t>(container.bases, reference_ ? kMaxLetters : believed);
  const std::uint64_t needed = allowed_ + 2 * size + 2 * container.unpacked +
                               kMemoryOfRecord * container.records + kMemoryOfBase * bases;
  // The process may still be at the one before.
  process_->allow(std::max(needed, std::exchange(last_needed_, needed)));
}

// The next one that is not skipped.
std::optional<SequenceRecord> CramReader::read_record() {
  while (!frames_->at_end()) {
    CramFrame frame;
    std::string name;
    std::string letters;
    try {
      std::memcpy(&frame, frames_->take(sizeof(frame)).data(), sizeof(frame));
      if (frame.letters == kCramBegun) {
        begun_ = true;
        continue;
      }
      while (name.size() < frame.name) name += frames_->take_some(frame.name - name.size());
      if (frame.letters == kCramFailure) {
        const auto kind = static_cast<ErrorKind>(frame.flags);
        fail_to_decode(kind == ErrorKind::kInputReference ? kind : ErrorKind::kInputCorrupt,
                       std::move(name));
      }
      while (letters.size() < frame.letters) {
        letters += frames_->take_some(frame.letters - letters.size());
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInputTruncated) throw;
      break;  // the process ended within a record
    }
    if (letters.size() > kMaxLetters) {
      fail_to_decode(ErrorKind::kInputTooLong, fmt::format("more than {} letters", kMaxLetters));
    }
    if (!is_read_name(name)) {
      fail_to_decode(ErrorKind::kInputMalformed, "the read's name is not one word");
    }
    ++records_;
    if (!sent_.empty() && records_ == sent_.front().last) {
      last_ = sent_.front();
      sent_.pop_front();
    }
    if (skipped_.skip(frame.flags)) continue;
    return original_read(frame.flags, std::move(name), std::move(letters), records_);
  }
  finish();
  return std::nullopt;
}

void CramReader::fail_to_decode(ErrorKind kind, std::string detail) {
  // Whether containers were sent before the header failed is chance.
  const Sent at = begun_ && !sent_.empty() ? sent_.front() : last_;
  if (kind == ErrorKind::kInputCorrupt && detail.empty()) {
    detail = "its records cannot be decoded";
    if (at.aligned && !reference_) {
      kind = ErrorKind::kInputReference;
      detail = "its records cannot be decoded without their reference: give --reference FILE";
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
  if (records_ > claimed_) {
    throw Error(ErrorKind::kInputCorrupt,
                Place{.file = file_, .record = claimed_ + 1, .offset = last_.offset},
                "it holds more records than its containers name");
  }
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

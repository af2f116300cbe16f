#include "journal/known_parts.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>

#include "base/bytes.hpp"
#include "journal/fingerprint_entry.hpp"

namespace virnucpro {
namespace {

auto identity_of(const SequencePart& part) {
  return std::tie(part.input, part.id, part.length, part.chunks, part.letters_hash, part.skip,
                  part.last);
}

// Says how an input differs now from the input that an earlier session read to its end.
std::string difference(const InputEntry& before, const InputEntry& now) {
  if (now.failed)
    return fmt::format("it was read to its end before, but now there is an error: {}", now.message);
  if (now.bytes != before.bytes) {
    return fmt::format("it had {} bytes of text and now has {}", before.bytes, now.bytes);
  }
  return fmt::format("it has {} bytes of text as before, but the text differs", now.bytes);
}

}  // namespace

std::string end_of(const InputEntry& entry) {
  ByteWriter text;
  text.varint(entry.records).varint(entry.bytes).text(entry.hash).varint(entry.failed ? 1 : 0);
  text.text(entry.error).varint(entry.record).varint(entry.offset);
  return text.bytes();
}

bool ended_alike(const InputEntry& a, const InputEntry& b) {
  return end_of(a) == end_of(b);
}

bool is_same_part(const SequencePart& a, const SequencePart& b) {
  return identity_of(a) == identity_of(b);
}

KnownParts::KnownParts(const Journal& journal)
    : journal_(journal), entries_(journal.inputs()), extents_(journal.extents()) {}

std::map<std::uint32_t, std::uint64_t> KnownParts::bound_parts() const {
  std::map<std::uint32_t, std::uint64_t> parts;
  for (const auto& [input, extent] : extents_) {
    if (is_bound(input)) parts.emplace(input, extent.parts);
  }
  return parts;
}

bool KnownParts::has(const SequencePart& part) {
  enter(part.input);
  const SequencePart* before = differs_ ? nullptr : next();
  if (before != nullptr && is_same_part(*before, part)) {
    ++next_part_;
    return true;
  }
  differs_ = true;
  if (!is_bound(part.input)) return false;
  if (before != nullptr) {
    fail(part.input, fmt::format("sequence {} is not the one that was scored", part.id));
  }
  if (entry_of(part.input) != nullptr) {
    fail(part.input, fmt::format("sequence {} is new", part.id));
  }
  return false;
}

void KnownParts::check_end(std::uint32_t input, const InputEntry& entry) {
  enter(input);
  if (!is_bound(input)) return;
  if (const SequencePart* more = differs_ ? nullptr : next()) {
    fail(input, fmt::format("sequence {} was scored and is missing now", more->id));
  }
  const InputEntry* before = entry_of(input);
  if (before == nullptr || ended_alike(*before, entry)) return;
  fail(input, difference(*before, entry));
}

bool KnownParts::needs_more(std::uint32_t input) {
  enter(input);
  if (!is_bound(input)) return false;
  return entry_of(input) != nullptr || (!differs_ && next() != nullptr);
}

bool KnownParts::has_rest(std::uint32_t input) {
  enter(input);
  return !is_bound(input) && !differs_ && next() != nullptr;
}

bool KnownParts::has_entry(std::uint32_t input, const InputEntry& entry) const {
  const InputEntry* before = entry_of(input);
  return before != nullptr && ended_alike(*before, entry);
}

KnownParts::Rest KnownParts::rest(std::uint32_t input) {
  enter(input);
  Rest rest;
  if (unit_) {
    rest.unit = unit_->index;
    rest.parts.assign(unit_->parts.begin(),
                      unit_->parts.begin() + static_cast<std::ptrdiff_t>(next_part_));
  } else if (const auto extent = extents_.find(input); extent != extents_.end()) {
    rest.unit = extent->second.units;
  }
  return rest;
}

void KnownParts::enter(std::uint32_t input) {
  if (input_ == input) return;
  input_ = input;
  units_.emplace(journal_.read(only(input, extents_)));
  unit_ = units_->next();
  next_part_ = 0;
  differs_ = false;
}

// Returns the next part of the input in the journal; null after the last part.
const SequencePart* KnownParts::next() {
  while (unit_ && next_part_ == unit_->parts.size()) {
    unit_ = units_->next();
    next_part_ = 0;
  }
  return unit_ ? &unit_->parts[next_part_] : nullptr;
}

const InputEntry* KnownParts::entry_of(std::uint32_t input) const {
  return input < entries_.size() ? &entries_[input] : nullptr;
}

bool KnownParts::is_bound(std::uint32_t input) const {
  const InputEntry* entry = entry_of(input);
  return entry == nullptr || !entry->failed;
}

void KnownParts::fail(std::uint32_t input, const std::string& why) const {
  const std::string name = virnucpro::entry_of(journal_.fingerprint(), input_name_key(input));
  throw Error(ErrorKind::kJournalMismatch, Place{.file = journal_.path().string()},
              fmt::format("input {} changed since the run began: {}",
                          name.empty() ? fmt::format("{}", input + 1) : name, why));
}

}  // namespace virnucpro

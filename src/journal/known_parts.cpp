#include "journal/known_parts.hpp"

#include <fmt/format.h>

#include <optional>
#include <tuple>

namespace virnucpro {
namespace {

auto identity_of(const SequencePart& part) {
  return std::tie(part.input, part.id, part.length, part.chunks, part.letters_hash, part.skip,
                  part.last);
}

auto identity_of(const InputEntry& entry) {
  return std::tie(entry.records, entry.bytes, entry.hash, entry.failed, entry.error, entry.record,
                  entry.offset);
}

std::string ending(const InputEntry& entry) {
  return entry.failed ? entry.message
                      : fmt::format("it was read to its end, {} bytes", entry.bytes);
}

}  // namespace

bool ended_alike(const InputEntry& a, const InputEntry& b) {
  return identity_of(a) == identity_of(b);
}

bool is_same_part(const SequencePart& a, const SequencePart& b) {
  return identity_of(a) == identity_of(b);
}

KnownParts::KnownParts(const Journal& journal)
    : journal_(journal), entries_(journal.inputs()), parts_(journal) {}

void KnownParts::check(const SequencePart& part) {
  const std::optional<SequencePart> before = parts_.next();
  if (before && is_same_part(*before, part)) return;
  fail(part.input, fmt::format("sequence {} is not the one that was scored", part.id));
}

void KnownParts::check_new(const SequencePart& part) const {
  if (has(part.input)) {
    fail(part.input, fmt::format("sequence {} was not there when it was scored", part.id));
  }
}

void KnownParts::check(std::uint32_t input, const InputEntry& entry) {
  if (!has(input) || ended_alike(entries_[input], entry)) return;
  fail(input, fmt::format("it ended differently: then {}, now {}", ending(entries_[input]),
                          ending(entry)));
}

void KnownParts::end_inputs() {
  if (const std::optional<SequencePart> more = parts_.next()) {
    fail(more->input, fmt::format("sequence {} was scored and is not there any more", more->id));
  }
}

void KnownParts::fail(std::uint32_t input, const std::string& why) const {
  throw Error(ErrorKind::kJournalMismatch, Place{.file = journal_.path().string()},
              fmt::format("input {} changed since the run began: {}", input + 1, why));
}

}  // namespace virnucpro

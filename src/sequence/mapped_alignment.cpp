#include "sequence/mapped_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(100 * part) / static_cast<double>(whole);
}

[[noreturn]] void refuse_names(std::string detail) {
  throw Error(ErrorKind::kInputMalformed, std::move(detail))
      .advised("Shorten the names of the references, then align the reads again.");
}

}  // namespace

void ReferenceList::require_short(std::uint64_t size) {
  if (size <= kLongestName) return;
  refuse_names(fmt::format("a reference's name has more than {} bytes", kLongestName));
}

void ReferenceList::add(std::string_view name, std::uint64_t length) {
  require_short(name.size());
  bytes_ += sizeof(ReferenceSequence) + sizeof(by_name_.front()) + name.size();
  if (bytes_ > kMostBytes) {
    refuse_names(
        fmt::format("the names of the references take more than {} MiB", kMostBytes >> 20U));
  }
  references_.push_back({std::string(name), length});
}

void ReferenceList::index() {
  by_name_.resize(references_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::sort(by_name_.begin(), by_name_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return name_at(a) < name_at(b); });
  const auto twice = std::adjacent_find(
      by_name_.begin(), by_name_.end(),
      [this](std::uint32_t a, std::uint32_t b) { return name_at(a) == name_at(b); });
  if (twice == by_name_.end()) return;
  throw Error(ErrorKind::kInputMalformed,
              fmt::format("the header names the reference {} twice", shown_text(name_at(*twice))));
}

std::optional<std::uint32_t> ReferenceList::find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::uint32_t reference, std::string_view text) { return name_at(reference) < text; });
  if (found == by_name_.end() || name_at(*found) != name) return std::nullopt;
  return *found;
}

bool CigarSums::add(char operation, std::uint64_t length) {
  const std::optional<std::uint64_t> all = checked_add(all_, length);
  if (!all || *all > kMost) return false;
  all_ = *all;
  switch (operation) {
    case 'M':
    case '=':
    case 'X':
      matches_ += length;
      return true;
    case 'I':
      insertions_ += length;
      return true;
    case 'D':
      deletions_ += length;
      return true;
    case 'S':
      soft_clips_ += length;
      return true;
    case 'H':
      hard_clips_ += length;
      return true;
    case 'N':
    case 'P':
      return true;
    default:
      return false;
  }
}

double MappedAlignment::identity() const {
  return percent(cigar.block() - edit_distance.value(), cigar.block());
}

double MappedAlignment::coverage() const {
  return percent(cigar.aligned(), cigar.query());
}

void require_facts(const MappedAlignment& alignment, std::uint64_t letters, std::uint64_t offset) {
  const CigarSums& cigar = alignment.cigar;
  const auto fail = [offset](std::string detail, std::string remedy = {}) {
    Error error(ErrorKind::kInputMalformed, Place{.offset = offset}, std::move(detail));
    if (!remedy.empty()) error.advise(std::move(remedy));
    throw Error(error);
  };
  if (cigar.matches() == 0) fail("the read is marked as mapped, but its CIGAR aligns no letter");
  if (letters != 0 && letters != cigar.letters()) {
    fail(fmt::format("SEQ has {} letters, but CIGAR has {}", letters, cigar.letters()));
  }
  if (!alignment.edit_distance) {
    fail("the read is marked as mapped, but has no tag NM (the number of differences)",
         "Add NM with samtools calmd, or align with minimap2 -a or bowtie2, which write it.");
  }
  if (*alignment.edit_distance > cigar.block()) {
    fail(fmt::format("NM is {}, but only {} letters are aligned", *alignment.edit_distance,
                     cigar.block()));
  }
}

}  // namespace virnucpro

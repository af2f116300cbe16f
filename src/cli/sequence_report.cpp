#include "cli/sequence_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string wide_row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<24}{:>20}", name, value);
}

}  // namespace

void SequenceStatistics::add(const InputRecord& record, SeenId seen,
                             double most_ambiguous_percent) {
  const std::uint64_t length = record.record.letters.size();
  const std::uint64_t unknown = count_outside_iupac(record.record.letters);
  const std::uint64_t unclear = count_ambiguous(record.record.letters);
  const double percent_of_length = most_ambiguous_percent * static_cast<double>(length);
  shortest = sequences == 0 ? length : std::min(shortest, length);
  longest = std::max(longest, length);
  letters += length;
  empty += length == 0 ? 1U : 0U;
  outside_iupac += unknown;
  with_outside_iupac += unknown > 0 ? 1U : 0U;
  ambiguous += unclear;
  with_ambiguous += unclear > 0 ? 1U : 0U;
  too_ambiguous += 100.0 * static_cast<double>(unclear) > percent_of_length ? 1U : 0U;
  duplicate_ids += seen == SeenId::kInThisInput ? 1U : 0U;
  foreign_ids += seen == SeenId::kInEarlierInput ? 1U : 0U;
  ++sequences;
}

std::string SequenceStatistics::problems(bool check_duplicate_ids) const {
  std::vector<std::string> found;
  const auto look_at = [&found](const char* what, std::uint64_t count) {
    if (count > 0) found.push_back(fmt::format("{}: {}", what, grouped(count)));
  };
  if (check_duplicate_ids) look_at("duplicate ids", duplicate_ids);
  look_at("empty sequences", empty);
  look_at("sequences with letters outside IUPAC", with_outside_iupac);
  if (sequences == 0) found.emplace_back("no sequences");
  return fmt::format("{}", fmt::join(found, ", "));
}

std::vector<std::string> SequenceStatistics::lines() const {
  std::vector<std::string> text{wide_row("sequences", grouped(sequences)),
                                wide_row("letters", grouped(letters))};
  if (sequences > 0) {
    const double mean = static_cast<double>(letters) / static_cast<double>(sequences);
    text.push_back(wide_row("shortest", grouped(shortest)));
    text.push_back(wide_row("mean length", fmt::format("{:.1f}", mean)));
    text.push_back(wide_row("longest", grouped(longest)));
  }
  text.push_back(wide_row("empty sequences", grouped(empty)));
  text.push_back(wide_row("letters outside IUPAC", grouped(outside_iupac)));
  text.push_back(wide_row("ambiguous bases", grouped(ambiguous)));
  text.push_back(wide_row("with ambiguous bases", grouped(with_ambiguous)));
  text.push_back(wide_row("duplicate ids", grouped(duplicate_ids)));
  text.push_back(wide_row("ids of earlier inputs", grouped(foreign_ids)));
  if (skipped.any()) {
    text.push_back(wide_row("secondary, skipped", grouped(skipped.secondary)));
    text.push_back(wide_row("supplementary, skipped", grouped(skipped.supplementary)));
  }
  return text;
}

std::string bad_sequence(const InputRecord& record, SeenId seen, bool check_duplicate_ids) {
  std::vector<std::string> found;
  if (check_duplicate_ids && seen == SeenId::kInThisInput) found.emplace_back("duplicate id");
  if (record.record.letters.empty()) found.emplace_back("empty sequence");
  if (const std::string letters = letters_outside_iupac(record.record.letters); !letters.empty()) {
    found.push_back("letters outside IUPAC: " + letters);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

SeenId SeenIds::add(std::string_view id, std::uint32_t input) {
  const std::uint64_t hash = splitmix64(fnv1a(id));
  const auto known = inputs_.find(hash);
  if (known == inputs_.end()) {
    if (inputs_.size() < kMost) {
      inputs_.emplace(hash, input);
    } else {
      overflowed_ = true;
    }
    return SeenId::kNowhere;
  }
  const std::uint32_t last = std::exchange(known->second, input);
  return last == input ? SeenId::kInThisInput : SeenId::kInEarlierInput;
}

}  // namespace virnucpro

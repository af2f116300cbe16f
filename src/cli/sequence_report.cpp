#include "cli/sequence_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<24}{:>20}", name, value);
}

}  // namespace

void SequenceStatistics::add(const InputRecord& record, bool duplicate) {
  const std::uint64_t length = record.record.letters.size();
  shortest = sequences == 0 ? length : std::min(shortest, length);
  longest = std::max(longest, length);
  letters += length;
  empty += length == 0 ? 1U : 0U;
  outside_iupac += count_outside_iupac(record.record.letters);
  duplicate_ids += duplicate ? 1U : 0U;
  ++sequences;
}

std::vector<std::string> SequenceStatistics::lines() const {
  std::vector<std::string> text{row("sequences", grouped(sequences)),
                                row("letters", grouped(letters))};
  if (sequences > 0) {
    const double mean = static_cast<double>(letters) / static_cast<double>(sequences);
    text.push_back(row("shortest", grouped(shortest)));
    text.push_back(row("mean length", fmt::format("{:.1f}", mean)));
    text.push_back(row("longest", grouped(longest)));
  }
  text.push_back(row("empty sequences", grouped(empty)));
  text.push_back(row("letters outside IUPAC", grouped(outside_iupac)));
  text.push_back(row("duplicate ids", grouped(duplicate_ids)));
  return text;
}

bool SeenIds::add(std::string_view id) {
  const std::uint64_t hash = splitmix64(fnv1a(id));
  if (hashes_.size() < kMost) return !hashes_.insert(hash).second;
  const bool seen = hashes_.contains(hash);
  overflowed_ = overflowed_ || !seen;
  return seen;
}

}  // namespace virnucpro

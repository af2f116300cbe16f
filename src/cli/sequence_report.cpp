#include "cli/sequence_report.hpp"

#include <fmt/format.h>

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

void SequenceStatistics::add(const InputRecord& record, SeenId seen) {
  const std::uint64_t length = record.record.letters.size();
  shortest = sequences == 0 ? length : std::min(shortest, length);
  longest = std::max(longest, length);
  letters += length;
  empty += length == 0 ? 1U : 0U;
  outside_iupac += count_outside_iupac(record.record.letters);
  duplicate_ids += seen == SeenId::kInThisInput ? 1U : 0U;
  foreign_ids += seen == SeenId::kInEarlierInput ? 1U : 0U;
  ++sequences;
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
  text.push_back(wide_row("duplicate ids", grouped(duplicate_ids)));
  text.push_back(wide_row("ids of earlier inputs", grouped(foreign_ids)));
  if (skipped.any()) {
    text.push_back(wide_row("secondary, skipped", grouped(skipped.secondary)));
    text.push_back(wide_row("supplementary, skipped", grouped(skipped.supplementary)));
  }
  return text;
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

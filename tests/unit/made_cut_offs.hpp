#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tables/call_rule.hpp"
#include "tables/cut_offs.hpp"

namespace virnucpro {

// Cut-offs for the bins 1, 2-3 and 4 and more, each with a bound of 0.01.
inline CutOffs made_cut_offs(RuleName rule, const std::vector<std::optional<double>>& values) {
  CutOffs found{.rule = std::string(word_of(rule)),
                .min_share = 0.5,
                .made_for = {{"the chunk size", "300"}},
                .false_rate = 0.02,
                .confidence = 0.95};
  const std::vector<ChunkBin> bins = parse_bins("1,2-3,4-").value();
  for (std::size_t k = 0; k < bins.size(); ++k) {
    found.bins.push_back({.bin = bins[k], .cut_off = values.at(k), .bound = values[k] ? 0.01 : 0});
  }
  return found;
}

// The same as if read from a file.
inline std::shared_ptr<const CutOffs> read_made(const CutOffs& made) {
  return parse_cut_offs(cut_offs_json(made, {{"data", {{"runs", 2}}}}), "cutoff.json",
                        "cutoff.json", ErrorKind::kCutOffs);
}

inline CallRule rule_with(RuleName name, const std::vector<std::optional<double>>& values) {
  return CallRuleChange{.cut_offs = read_made(made_cut_offs(name, values))}.over({});
}

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/count_ratio.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// How a sample stands against the negative controls (docs/use/outputs.md).
enum class AgainstControls : std::uint8_t {
  kNone,  // there are no controls
  kControl,
  kAbove,
  kNotAbove,       // the difference may be chance
  kNotComparable,  // no control with sequences was computed with the same settings
};

struct ControlResult {
  AgainstControls found = AgainstControls::kNone;
  // To the nearest control: the one with the smallest lower end.
  std::optional<CountRatio> ratio{};
  std::size_t control = 0;  // which one, if there is a ratio
};

// Returns the samples that `names` mean, sorted. A name is that of a sample, or its run as it was
// given. Errors: kUsage for a name that no sample has, or several.
std::vector<std::size_t> find_controls(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::string>& names);

// Compares each sample's share of sequences called virus with that of each control. A sample is
// above the controls only if each ratio's interval is above 1: pooled controls would hide a
// contaminated one.
std::vector<ControlResult> compare_with_controls(const std::vector<SampleFacts>& samples,
                                                 const std::vector<std::size_t>& controls);

}  // namespace virnucpro

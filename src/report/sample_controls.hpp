#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/count_ratio.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// The result of comparing a sample with the negative controls (docs/use/outputs.md).
enum class AgainstControls : std::uint8_t {
  kNone,  // there are no controls
  kControl,
  kAbove,
  kNotAbove,       // the difference may be chance
  kNotComparable,  // no control with sequences was computed with the same settings
};

struct ControlResult {
  AgainstControls found = AgainstControls::kNone;
  // The ratio to the nearest control, whose interval has the smallest lower end.
  std::optional<CountRatio> ratio{};
  std::size_t control = 0;  // the nearest control's index, if there is a ratio
};

// Returns the samples that `names` mean, sorted. A name is a sample's name, or its run's path as it
// was given. Errors: kUsage for a name that fits no sample or several.
std::vector<std::size_t> find_controls(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::string>& names);

// Compares each sample's share of sequences called virus with each control's. A sample is above the
// controls only if all its ratios' intervals are above 1. Pooling the controls would hide a
// contaminated control.
std::vector<ControlResult> compare_with_controls(const std::vector<SampleFacts>& samples,
                                                 const std::vector<std::size_t>& controls);

}  // namespace virnucpro

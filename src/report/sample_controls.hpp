#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/count_ratio.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// What stands above the negative controls (docs/use/outputs.md).
enum class AgainstControls : std::uint8_t {
  kNone,  // there are no controls
  kControl,
  kAbove,
  kNotAbove,       // what was counted may be chance
  kNotComparable,  // no control with sequences was computed with the same settings
};

struct ControlResult {
  AgainstControls found = AgainstControls::kNone;
  // Against the control that comes nearest to the sample: of the smallest lower end.
  std::optional<CountRatio> ratio{};
  std::size_t control = 0;  // which one, if there is a ratio
};

// The samples that are meant by `names`, each the name of a sample or its run as it was given;
// sorted. Errors: kUsage for a name that no sample has, or several.
std::vector<std::size_t> find_controls(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::string>& names);

// Holds each sample's share of sequences called virus against that of every control. It stands
// above the controls if the interval of each ratio does.
std::vector<ControlResult> compare_with_controls(const std::vector<SampleFacts>& samples,
                                                 const std::vector<std::size_t>& controls);

}  // namespace virnucpro

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
  kNotAbove,       // the difference may be due to chance
  kNotComparable,  // no control with sequences was computed with the same settings
};

struct ControlResult {
  AgainstControls found = AgainstControls::kNone;
  // The ratio to the nearest control: the control whose ratio has the smallest `least`.
  std::optional<CountRatio> ratio{};
  std::size_t control = 0;  // index of the nearest control, if there is a ratio
};

// Returns the indices of the samples that `names` stand for, sorted. A name is a sample's name or
// the path of its run. Errors: kUsage for a name of no sample or of several samples.
std::vector<std::size_t> find_controls(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::string>& names);

// Compares each sample's share of sequences called virus with the share of each control. A sample
// is above the controls only if its ratio to every control has an interval above 1. The controls
// are not pooled, because that would hide a contaminated control.
std::vector<ControlResult> compare_with_controls(const std::vector<SampleFacts>& samples,
                                                 const std::vector<std::size_t>& controls);

}  // namespace virnucpro

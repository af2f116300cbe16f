#pragma once

#include <cstddef>
#include <vector>

#include "report/page.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// The page of many samples: one row each. `controls`: which of them are negative controls. The
// first table has the samples.
Page samples_page(const std::vector<SampleFacts>& samples,
                  const std::vector<std::size_t>& controls);

}  // namespace virnucpro

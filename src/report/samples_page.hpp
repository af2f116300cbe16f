#pragma once

#include <cstddef>
#include <vector>

#include "report/page.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// Returns the page of many samples. Its first table has one row per sample. `controls` are the
// indices of the negative controls.
Page samples_page(const std::vector<SampleFacts>& samples,
                  const std::vector<std::size_t>& controls);

}  // namespace virnucpro

#pragma once

#include <vector>

#include "report/page.hpp"
#include "report/run_facts.hpp"
#include "report/score_differences.hpp"

namespace virnucpro {

// Returns the page that compares several runs with the first run; each run has a column. An element
// of `differences` has the score differences between the first run and a later run.
Page compared_runs_page(const std::vector<RunFacts>& runs,
                        const std::vector<ScoreDifferences>& differences);

}  // namespace virnucpro

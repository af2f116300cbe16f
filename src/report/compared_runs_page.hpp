#pragma once

#include <vector>

#include "report/page.hpp"
#include "report/run_facts.hpp"
#include "report/score_differences.hpp"

namespace virnucpro {

// Returns the page that compares several runs with the first: one column per run, headed by its
// name. `differences` has an element for each later run: its score differences from the first run.
Page compared_runs_page(const std::vector<RunFacts>& runs,
                        const std::vector<ScoreDifferences>& differences);

}  // namespace virnucpro

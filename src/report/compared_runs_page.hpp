#pragma once

#include <vector>

#include "report/page.hpp"
#include "report/run_facts.hpp"
#include "report/score_differences.hpp"

namespace virnucpro {

// Compares several runs with the first: one column per run, headed by its name. `differences`: one
// for each run but the first, against the first.
Page compared_runs_page(const std::vector<RunFacts>& runs,
                        const std::vector<ScoreDifferences>& differences);

}  // namespace virnucpro

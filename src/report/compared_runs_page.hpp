#pragma once

#include <vector>

#include "report/page.hpp"
#include "report/run_facts.hpp"
#include "report/score_differences.hpp"

namespace virnucpro {

// Several runs beside each other, with what they come to against the first; a run's name is its
// column's head. `differences`: of each run but the first, from the first.
Page compared_runs_page(const std::vector<RunFacts>& runs,
                        const std::vector<ScoreDifferences>& differences);

}  // namespace virnucpro

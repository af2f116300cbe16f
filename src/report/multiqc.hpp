#pragma once

#include <string>

#include "report/run_facts.hpp"

namespace virnucpro {

// What MultiQC picks up as "custom content" (docs.seqera.io/multiqc/custom_content). The sample is
// the run's stem.

// virnucpro_mqc.json: columns of its general statistics.
std::string multiqc_general(const RunFacts& facts);

// virnucpro_scores_mqc.tsv: a line graph of the frames by their virus score.
std::string multiqc_scores(const RunFacts& facts);

}  // namespace virnucpro

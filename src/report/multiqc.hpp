#pragma once

#include <string>

#include "report/run_facts.hpp"

namespace virnucpro {

// Files that MultiQC reads as "custom content" (docs.seqera.io/multiqc/custom_content). The sample
// is the run's stem.

// virnucpro_mqc.json: columns for MultiQC's general statistics.
std::string multiqc_general(const RunFacts& facts);

// virnucpro_scores_mqc.tsv: a line graph of the number of frames by virus score.
std::string multiqc_scores(const RunFacts& facts);

}  // namespace virnucpro

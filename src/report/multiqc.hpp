#pragma once

#include <string>

#include "report/run_facts.hpp"

namespace virnucpro {

// Files that MultiQC reads as "custom content" (docs.seqera.io/multiqc/custom_content). The sample
// is RunFacts::sample.

// virnucpro_mqc.json: columns for MultiQC's general statistics. One is for remarks, such as that
// the weights were synthetic.
std::string multiqc_general(const RunFacts& facts);

// virnucpro_calls_mqc.json: bars of the number of sequences by call.
std::string multiqc_calls(const RunFacts& facts);

// virnucpro_mqc_versions.yml: the version of the program that scored, for MultiQC's list of
// software (MultiQC 1.16 or newer; older ones do not look for it).
std::string multiqc_versions(const RunFacts& facts);

// virnucpro_scores_mqc.tsv: a line graph of the number of frames by virus score.
std::string multiqc_scores(const RunFacts& facts);

}  // namespace virnucpro

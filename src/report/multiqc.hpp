#pragma once

#include <string>

#include "report/run_facts.hpp"

namespace virnucpro {

// The functions below return the text of files that MultiQC reads as "custom content"
// (docs.seqera.io/multiqc/custom_content). RunFacts::sample is the sample's name in the files.

// Returns virnucpro_mqc.json: columns for MultiQC's general statistics. One column has remarks,
// for example that the weights were synthetic.
std::string multiqc_general(const RunFacts& facts);

// Returns virnucpro_calls_mqc.json: bars with the number of sequences by call.
std::string multiqc_calls(const RunFacts& facts);

// Returns virnucpro_mqc_versions.yml: the version of the program that scored, for MultiQC's list of
// software. MultiQC before 1.16 ignores this file.
std::string multiqc_versions(const RunFacts& facts);

// Returns virnucpro_scores_mqc.tsv: a line graph of the number of frames by virus score.
std::string multiqc_scores(const RunFacts& facts);

}  // namespace virnucpro

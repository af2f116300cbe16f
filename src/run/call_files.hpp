#pragma once

#include "journal/run_folder.hpp"

namespace virnucpro {

// Removes the files of a run that depend on its rules of calls: sequences.tsv, contigs.tsv,
// chunks.bed, virus.fasta and the reports. Do so before the rule changes, and write those anew that
// are wanted: at no time shall two files of one directory state different calls. `same_calls`:
// those of sequences stay as they are, and virus.fasta with them. Errors: kOutputWrite.
void remove_call_files(const RunFolder& directory, bool same_calls = false);

// Whether a run's file of that name is there, complete; `file` has no "*".
bool has_own(const RunFolder& directory, const RunFile& file);

}  // namespace virnucpro

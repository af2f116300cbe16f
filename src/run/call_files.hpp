#pragma once

#include "journal/run_folder.hpp"

namespace virnucpro {

// Removes the files of a run that depend on its rules of calls: sequences.tsv, contigs.tsv,
// chunks.bed, virus.fasta and the reports. Do so before the rule changes, and write those anew that
// are wanted: at no time shall two files of one directory state different calls. Errors:
// kOutputWrite.
void remove_call_files(const RunFolder& directory);

// Whether a run's file of that name is there, complete; `file` has no "*".
bool has_own(const RunFolder& directory, const RunFile& file);

}  // namespace virnucpro

#pragma once

#include "journal/run_folder.hpp"

namespace virnucpro {

struct CallFiles {
  bool keeps_virus_fasta = false;
  bool keeps_contigs = false;  // an earlier version's contigs.tsv, which is by no rule of the run
  bool writes_contigs = true;  // the next rule does; false: that contigs.tsv goes is said
};
// Removes the files of a run that depend on its rule of calls: sequences.tsv, contigs.tsv,
// chunks.bed, virus.fasta and the reports. Do so before the rule changes, and write those anew that
// are wanted: at no time shall two files of one directory state different calls. Errors:
// kOutputWrite.
void remove_call_files(const RunFolder& directory, CallFiles which = {});

// Whether a run's file of that name is there, complete; `file` has no "*".
bool has_own(const RunFolder& directory, const RunFile& file);

}  // namespace virnucpro

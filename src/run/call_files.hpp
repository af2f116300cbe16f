#pragma once

#include "journal/run_folder.hpp"

namespace virnucpro {

struct CallFiles {
  bool keeps_virus_fasta = false;
  bool keeps_contigs = false;  // contigs.tsv of an earlier version, which follows its own rule
  bool writes_contigs = true;  // the next rule writes it; false: a warning says that it is removed
};
// Removes the files of a run that depend on its rule of calls: sequences.tsv, contigs.tsv,
// chunks.bed, virus.fasta and the reports. Call it before the rule changes, and write the wanted
// files anew afterwards. So a killed command leaves files missing, but never files with different
// calls. Errors: kOutputWrite.
void remove_call_files(const RunFolder& directory, CallFiles which = {});

// True if a run wrote this file here to its end. `file` has no "*".
bool has_own(const RunFolder& directory, const RunFile& file);

}  // namespace virnucpro

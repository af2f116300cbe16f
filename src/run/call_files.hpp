#pragma once

#include "journal/run_folder.hpp"

namespace virnucpro {

struct CallFiles {
  bool keeps_virus_fasta = false;
  bool keeps_contigs = false;  // keep contigs.tsv: earlier versions wrote it with every rule
  bool writes_contigs = true;  // false: warn that a contigs.tsv is removed and not replaced
};
// Removes the files of a run that depend on its rule of calls: sequences.tsv, contigs.tsv,
// chunks.bed, virus.fasta and the reports. Call it before the rule changes, and write the wanted
// files again afterwards. If the command is killed in between, files are missing, but no two files
// have calls of different rules. Errors: kOutputWrite.
void remove_call_files(const RunFolder& directory, CallFiles which = {});

// True if the directory has this file, complete and written by a run. `file` must have no "*".
bool has_own(const RunFolder& directory, const RunFile& file);

}  // namespace virnucpro

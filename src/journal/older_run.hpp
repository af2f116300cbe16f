#pragma once

#include <set>
#include <string>

#include "base/directory.hpp"

namespace virnucpro {

// Returns the files that certainly belong to a run, as paths within the directory. Call it if the
// directory has no run.files. Then the application id and the fingerprint in run.db prove which
// files are the run's. Files without such a proof (virus.fasta) are left out. Reads the journal
// without its log and changes nothing. Returns no files if there is no journal of this program.
std::set<std::string> files_proven_by_journal(const Directory& directory);

}  // namespace virnucpro

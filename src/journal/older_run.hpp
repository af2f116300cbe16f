#pragma once

#include <set>
#include <string>

#include "base/directory.hpp"

namespace virnucpro {

// Returns the files that certainly belong to a run, as paths within the directory, which has no
// run.files. The mark and fingerprint of its run.db prove them. Other files (virus.fasta) may
// belong to the run, too, but are not returned. The journal is read without its log, and nothing is
// changed. Empty if there is no journal of this program.
std::set<std::string> files_proven_by_journal(const Directory& directory);

}  // namespace virnucpro

#pragma once

#include <set>
#include <string>

#include "base/directory.hpp"

namespace virnucpro {

// Returns the files in a directory without run.files that are certainly a run's, as paths within
// it. Its run.db proves them by its mark and its fingerprint. Other files may be a run's as well
// (virus.fasta), and are not returned. The journal is read as it stands, without its log, and
// nothing is changed. Empty if there is no such journal.
std::set<std::string> files_proven_by_journal(const Directory& directory);

}  // namespace virnucpro

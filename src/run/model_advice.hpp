#pragma once

#include <string>

#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// Returns advice if the published model for 500 bases scored many sequences of up to 300 bases, for
// which another model is meant. "Many" means at least half of all chunks, so a few short contigs
// among long contigs do not count. Returns an empty text otherwise, and for a user's own
// classifier. The advice depends only on the journal, not on batches, shards or resumes.
std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts);

}  // namespace virnucpro

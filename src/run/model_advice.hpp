#pragma once

#include <string>

#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// Returns advice if the published model for 500 bases scored sequences for which the model for 300
// bases is meant: at least half of the chunks are whole sequences of up to 300 bases, so short
// contigs beside long contigs count little. Empty otherwise, and for a user's own classifier. Only
// the journal decides, not batches, shards or resumes.
std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts);

}  // namespace virnucpro

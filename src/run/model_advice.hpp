#pragma once

#include <string>

#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// Returns advice if the published model for 500 bases scored sequences for which the one for 300 is
// meant: at least half of the chunks are whole sequences of up to 300 bases. So short contigs
// beside long ones count for little. Empty otherwise, and for a classifier of the user's. The
// journal alone decides, not batches, shards or resumes.
std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts);

}  // namespace virnucpro

#pragma once

#include <string>

#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// What to know where the published model for 500 bases scored what the one for 300 is meant for: at
// least half of the chunks are whole sequences of up to 300 bases. So the short contigs beside long
// ones count for little. Empty otherwise, and for a classifier of the user's. Calls of one journal
// have one advice, whatever the batches, shards and resumes.
std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts);

}  // namespace virnucpro

#pragma once

#include <string>

#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// Returns advice if the published model for 500 bases scored many sequences of up to 300 bases, for
// which another model is meant. Many means that at least half of the chunks are such whole
// sequences, so that a few short contigs among long ones do not count. Empty otherwise, and for a
// user's own classifier. Only the journal decides, so batches, shards and resumes change nothing.
std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "journal/journal.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// What a run is, for its journal: the settings and models that its scores follow from, and words
// for whoever reads it ("esm2": where the weights came from).
Journal::Fingerprint run_fingerprint(const PredictSettings& settings,
                                     const std::map<std::string, std::string>& models);

// Of the same run, resumed: what its journal says otherwise than it is now, such as the threshold
// and where the inputs lie.
Journal::Fingerprint changed_entries(const Journal::Fingerprint& journal,
                                     const Journal::Fingerprint& now);

// The key under which the fingerprint has the absolute path of an input file, counted from 0.
std::string input_path_key(std::size_t index);

// "0/4", as the fingerprint and --shard have it.
std::string shard_text(const Shard& shard);
Shard shard_of(const Journal::Fingerprint& print);

// Refuses (kJournalMismatch, naming journal, parts and values) where a resumed run would not give
// the scores of the one that began. Another build of one numerics version only warns.
void require_same_run(const Journal::Fingerprint& journal, const Journal::Fingerprint& now,
                      const std::filesystem::path& path);

}  // namespace virnucpro

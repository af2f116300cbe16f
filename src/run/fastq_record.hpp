#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "run/virus_files.hpp"

namespace virnucpro {

// The journal's record of the files of one --virus-fastq. These files lie among the user's files,
// and must not keep the calls of an earlier rule. So only --force or the run that wrote the files
// replaces them, and a file that someone changed is an error.
struct FastqRecord {
  // Size and hash of each file, in the order of kFastqEndings; "" if it was not written.
  using Marks = std::array<std::string, kFastqFiles>;

  std::string prefix{};  // absolute
  std::string run{};     // the directory of the run that wrote them, absolute
  PairRule pair_rule = PairRule::kEither;
  bool pending = false;   // wanted, but may not have their names yet
  bool unmarked = false;  // versions up to 0.2 kept only the prefix
  Marks marks{};
  Marks replaced{};  // while pending: the marks of the files that are replaced
};
using FastqRecords = std::vector<FastqRecord>;

// Returns an output's absolute prefix, as records have it.
std::string absolute_prefix(const FastqOutput& output);

// Returns the journal's records. Warns about and leaves out the records of a copied run, which does
// not own its original's files.
FastqRecords fastq_records_of(const Journal& journal);
// Returns entries for Journal::describe(). `earlier` is the number of records in the journal.
Journal::Fingerprint entries_of(const FastqRecords& records, std::size_t earlier);
// Removes the records from a fingerprint that another run takes over.
void forget_virus_files(Journal::Fingerprint& print);

// A run's plan for the files of its --virus-fastq, with the records for its journal.
struct FastqPlan {
  std::vector<FastqOutput> outputs{};
  FastqRecords records{};   // the records of `outputs` are pending
  std::size_t earlier = 0;  // records in the journal; those beyond `records` are emptied

  Journal::Fingerprint entries() const { return entries_of(records, earlier); }
};

// Makes the plan, and hashes the files of `known`, the records of the run in directory `run`.
// `asked` are the outputs that this command names. Other known outputs are written anew if they are
// pending or the calls change; if a file of theirs is missing, it stays so, with a warning. Errors:
// kOutputExists for a file that differs from what the run wrote; kInputRead.
FastqPlan plan_fastq(const std::filesystem::path& run, FastqRecords known,
                     const std::vector<FastqOutput>& asked, bool calls_change,
                     const Cancel& cancel);

// Returns the recorded files that exist.
std::vector<std::filesystem::path> files_of(const FastqRecords& records);

// Gives the files their names. The journal gets their marks first, so that a stopped run still
// knows them as its own.
void commit_recorded(VirusFiles& files, FastqPlan plan,
                     const std::function<void(const Journal::Fingerprint&)>& describe,
                     const Cancel& cancel);

}  // namespace virnucpro

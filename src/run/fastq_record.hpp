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

// The journal's record of the files of one --virus-fastq. Files with calls of an earlier rule must
// be replaced. But they lie among the user's files, so a run replaces a file only if the run wrote
// it, or with --force. A file that was changed since the run wrote it is an error.
struct FastqRecord {
  // Size and hash of each file, in the order of kFastqEndings; "" if it was not written.
  using Marks = std::array<std::string, kFastqFiles>;

  std::string prefix{};  // absolute
  std::string run{};     // absolute directory of the run that wrote the files
  PairRule pair_rule = PairRule::kEither;
  bool pending = false;   // the files may lack their final names
  bool unmarked = false;  // no marks: versions up to 0.2 kept only the prefix
  Marks marks{};
  Marks replaced{};  // while pending: marks of the files to replace
};
using FastqRecords = std::vector<FastqRecord>;

// Returns an output's absolute prefix, in the form that records have.
std::string absolute_prefix(const FastqOutput& output);

// Returns the journal's records. If the run is a copy, leaves out the records of its original's
// files, with a warning, because the copy does not own these files.
FastqRecords fastq_records_of(const Journal& journal);
// Returns the records for Journal::describe(). `earlier` is the number of records in the journal.
Journal::Fingerprint entries_of(const FastqRecords& records, std::size_t earlier);
// Removes the records from a fingerprint that another run will use.
void forget_virus_files(Journal::Fingerprint& print);

// A run's plan for the files of its --virus-fastq, with the records for its journal.
struct FastqPlan {
  std::vector<FastqOutput> outputs{};
  FastqRecords records{};   // the records of `outputs` are pending
  std::size_t earlier = 0;  // number of records in the journal; surplus records are emptied

  Journal::Fingerprint entries() const { return entries_of(records, earlier); }
};

// Makes the plan. `known` are the records of the run in directory `run`; their files are hashed.
// `asked` are the outputs that this command names. Other known outputs are written again if they
// are pending or the calls change. If the output is not pending, a missing file is not written
// again; a warning says so. Errors: kOutputExists for a file that differs from what the run wrote;
// kInputRead.
FastqPlan plan_fastq(const std::filesystem::path& run, FastqRecords known,
                     const std::vector<FastqOutput>& asked, bool calls_change,
                     const Cancel& cancel);

// Returns the recorded files that exist.
std::vector<std::filesystem::path> files_of(const FastqRecords& records);

// Gives the files their final names. Writes their marks to the journal first, so that a run that is
// stopped in between still recognizes its own files.
void commit_recorded(VirusFiles& files, FastqPlan plan,
                     const std::function<void(const Journal::Fingerprint&)>& describe,
                     const Cancel& cancel);

}  // namespace virnucpro

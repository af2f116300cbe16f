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

// What the journal keeps of the files of one --virus-fastq. They lie outside the run's directory,
// and shall not stay behind with the calls of an earlier rule.
struct FastqRecord {
  // A file's size and hash, "" for one that was not written, by kFastqEndings.
  using Marks = std::array<std::string, kFastqFiles>;

  std::string prefix{};  // absolute
  std::string run{};     // the directory of the run that wrote them, absolute
  PairRule pair_rule = PairRule::kEither;
  bool pending = false;   // they are wanted, and may not have their names yet
  bool unmarked = false;  // versions up to 0.2 kept the prefix alone
  Marks marks{};
  Marks replaced{};  // while it is pending: of what they replace
};
using FastqRecords = std::vector<FastqRecord>;

// As records have it.
std::string absolute_prefix(const FastqOutput& output);

// Without the records of a run that this one is a copy of, with a warning.
FastqRecords fastq_records_of(const Journal& journal);
// For Journal::describe(). `earlier`: how many records the journal has.
Journal::Fingerprint entries_of(const FastqRecords& records, std::size_t earlier);
// Takes them out of the fingerprint of a run that another one is made of.
void forget_virus_files(Journal::Fingerprint& print);

// What a run does to the files of its --virus-fastq, and what its journal keeps of them then.
struct FastqPlan {
  std::vector<FastqOutput> outputs{};
  FastqRecords records{};   // those of `outputs` are pending
  std::size_t earlier = 0;  // how many the journal has: those beyond `records` are emptied

  Journal::Fingerprint entries() const { return entries_of(records, earlier); }
};

// Reads the files that the journal of `run`, a directory, knows. `asked`: what this command names.
// What it does not name is written anew where the calls change or it is pending; a file of it that
// is gone stays so, with a line. Errors: kOutputExists for a file that is no longer what the run
// wrote; kInputRead.
FastqPlan plan_fastq(const std::filesystem::path& run, FastqRecords known,
                     const std::vector<FastqOutput>& asked, bool calls_change,
                     const Cancel& cancel);

// Those that are there.
std::vector<std::filesystem::path> files_of(const FastqRecords& records);

// Gives the files their names. The journal has their marks before, so that they are known to be the
// run's whenever it is stopped.
void commit_recorded(VirusFiles& files, FastqPlan plan,
                     const std::function<void(const Journal::Fingerprint&)>& describe,
                     const Cancel& cancel);

}  // namespace virnucpro

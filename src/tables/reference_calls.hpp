#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "sequence/mapped_alignment.hpp"
#include "tables/contig_rollup.hpp"

namespace virnucpro {

// The calls of the contigs that reads were aligned to. They come from a run's journal, as
// contigs.tsv may be edited or out of date. A reference must be as long as the run's sequence:
// reads aligned to another assembly would get calls that look right.
class ReferenceCalls {
 public:
  // `file` is the alignments' name for errors. Errors: kUsage if the run has a reference twice or
  // with another length, or has none of the references; kJournalDamaged; those of Cancel.
  ReferenceCalls(const Journal& journal, const RollupRule& rule, const ReferenceList& references,
                 const std::string& file, const Cancel& cancel);

  // Returns the call; Unclassified for a reference that the run does not have.
  const ContigCall& of(std::uint32_t reference) const { return calls_[place_.at(reference)]; }
  bool is_known(std::uint32_t reference) const { return place_.at(reference) != 0; }
  std::uint64_t unknown() const { return place_.size() - (calls_.size() - 1); }

 private:
  std::vector<std::uint32_t> place_;  // of each reference, in calls_; 0 if the run does not have it
  std::vector<ContigCall> calls_;
};

}  // namespace virnucpro

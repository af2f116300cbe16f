#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "sequence/mapped_alignment.hpp"
#include "tables/call_rule.hpp"
#include "tables/contig_rollup.hpp"

namespace virnucpro {

// The calls of the contigs that reads were aligned to. They are made from a run's journal, because
// contigs.tsv may be edited or out of date. A reference must be as long as the run's sequence of
// the same name: reads that were aligned to another assembly would get wrong calls that look right.
class ReferenceCalls {
 public:
  // `rule` is viral-ngs. `file` names the alignments in errors. Errors: kUsage if the run has a
  // reference twice or with another length, or has none of the references; kJournalDamaged; those
  // of Cancel.
  ReferenceCalls(const Journal& journal, const CallRule& rule, const ReferenceList& references,
                 const std::string& file, const Cancel& cancel);

  // Returns a reference's call; Unclassified if the run does not have the reference.
  const ContigCall& of(std::uint32_t reference) const { return calls_[place_.at(reference)]; }
  bool is_known(std::uint32_t reference) const { return place_.at(reference) != 0; }
  std::uint64_t unknown() const { return place_.size() - (calls_.size() - 1); }

 private:
  std::vector<std::uint32_t> place_;  // index into calls_ by reference; 0: not in the run
  std::vector<ContigCall> calls_;
};

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "sequence/alignment.hpp"
#include "tables/call_rule.hpp"
#include "tables/read_labels.hpp"

namespace virnucpro {

struct LabelSettings {
  std::filesystem::path run;
  std::string alignments;  // BAM or SAM of reads aligned to the run's sequences; "-" is stdin
  LabelRule rule{};
  std::filesystem::path output;  // an existing file is replaced
  // If set, receives the table's text, and no file is written.
  std::function<void(std::string_view)> write{};
};

struct LabelSummary {
  CallRule rule{};
  bool is_rule_of_run = false;      // false: the run's own rule is majority
  std::uint64_t failed_inputs = 0;  // inputs whose sequences the run lacks
  ReadCounts reads{};
  UnplacedAlignments unplaced{};
  std::uint64_t references = 0;
  std::uint64_t unknown_references = 0;  // references that the run lacks
  std::uint64_t unknown_alignments = 0;  // alignments to unknown references
  std::string first_unknown{};  // shown_text() of the first unknown reference with an alignment
  bool synthetic = false;
};

// Gives each read the call of the contig that it was aligned to. The columns are those of
// viral-ngs, so calls always follow the rule viral-ngs, with the run's thresholds. Calls are made
// from the journal, because contigs.tsv may be edited or old. A reference must be as long as the
// run's sequence of this name. Reads are sorted on disk, in TMPDIR or beside the output. Errors:
// those of KeptRun, MappingFile and ReferenceCalls; kUsage for a run that did not finish or is one
// shard; kOutputWrite, kTemporaryFolder.
LabelSummary label_reads(const LabelSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

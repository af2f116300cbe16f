#pragma once

#include <filesystem>
#include <vector>

#include "base/cancel.hpp"
#include "run/export.hpp"

namespace virnucpro {

struct MergeSettings {
  std::vector<std::filesystem::path> runs;  // finished runs of all shards, in any order
  std::filesystem::path output;
  CallRuleChange rule{};  // of the runs', which must have one and the same unless this is whole
  MoreTables more{};
  bool force = false;
};

// Makes one run from the runs of its shards (predict --shard): the journal and tables that a run
// over the whole input would have written. Errors: KeptRun's; kJournalMismatch when they are not
// the shards of one input; kOutputExists, kOutputWrite.
ExportSummary merge_runs(const MergeSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/cancel.hpp"
#include "run/export.hpp"
#include "run/output_directory.hpp"

namespace virnucpro {

struct MergeSettings {
  std::vector<std::filesystem::path> runs;  // finished runs of all shards, in any order
  std::filesystem::path output;
  CallRuleChange rule{};  // changes the runs' rules; the changed rules must be equal
  TableChange tables{};   // changes the runs' own choice of tables
  // kResume: goes on with an earlier merge of the same shards, or begins a merge.
  Existing existing = Existing::kRefuse;
  bool start_over = false;  // start over if the merge to resume is refused

  // Callbacks that write or check other files, such as reports. `runs` are the shards' runs, by
  // shard.
  using Shards = std::vector<std::filesystem::path>;
  std::function<void(const Journal&, const ExportSummary&, const RunFolder&, const Shards& runs)>
      on_tables{};
  // Returns true if the other files, such as reports, exist.
  std::function<bool(const RunFolder&, const Shards& runs)> has_rest{};
};

struct MergeSummary {
  std::filesystem::path tables;
  std::optional<ExportSummary> written{};  // empty: an earlier merge wrote everything
  bool partial = false;                    // some input or frame has no score
};

// Joins the runs of all shards (predict --shard) into one run, with the journal and tables that a
// run over the whole input would have written. Memory and open files grow little with the number of
// shards, and not with the size of a shard. Nothing is written before all shards are checked. The
// journal gets its name when it is complete, and has a hash of the shards' scores, so a killed
// merge can be resumed. Errors: kShards, which names every bad shard; kJournalMismatch or
// kJournalDamaged if the merge to resume is of other shards or is damaged; kOutputExists,
// kOutputWrite.
MergeSummary merge_runs(const MergeSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "run/export.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {

// A run that was merged, and where its parts lie.
struct MergedRun {
  const RunFolder& directory;
  const std::vector<std::filesystem::path>& shards;  // their runs' directories, in order
  const Journal& journal;
  const ExportSummary& summary;
  ProgramFacts program;
};

// Writes telemetry_<time>.json of a merged run from that of its shards (telemetry_sum.hpp); the
// time is the first shard's start. Shards without it, or without that of their last session, are
// named in a warning. If all are such, no file is written. Like a run's telemetry, it never ends
// the merge: a file that cannot be written is a warning. Errors: Cancel's.
void write_merged_telemetry(const MergedRun& run, const Cancel& cancel);

// Whether a merge has written its telemetry there.
bool has_merged_telemetry(const RunFolder& directory);
// Whether any of the shards has telemetry.
bool have_telemetry(const std::vector<std::filesystem::path>& shards);

}  // namespace virnucpro

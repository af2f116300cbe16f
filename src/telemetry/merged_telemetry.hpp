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

// A merged run and its shards.
struct MergedRun {
  const RunFolder& directory;
  const std::vector<std::filesystem::path>& shards;  // the shards' run directories, in order
  const Journal& journal;
  const ExportSummary& summary;
  ProgramFacts program;
};

// Writes telemetry_<time>.json of a merged run from its shards' telemetry (telemetry_sum.hpp). The
// time is the earliest start of any shard's session. A warning names the shards that have no
// finished session with telemetry; if these are all shards, no file is written. If the file cannot
// be written, a warning says so, and the merge goes on. Errors: those of Cancel.
void write_merged_telemetry(const MergedRun& run, const Cancel& cancel);

// Returns true if a merge has written its telemetry into the directory.
bool has_merged_telemetry(const RunFolder& directory);
// Returns true if any of the shards has telemetry.
bool have_telemetry(const std::vector<std::filesystem::path>& shards);

}  // namespace virnucpro

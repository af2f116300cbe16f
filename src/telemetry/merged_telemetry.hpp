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

// A merged run and its parts.
struct MergedRun {
  const RunFolder& directory;
  const std::vector<std::filesystem::path>& shards;  // their runs' directories, in order
  const Journal& journal;
  const ExportSummary& summary;
  ProgramFacts program;
};

// Writes telemetry_<time>.json of a merged run from that of its shards (telemetry_sum.hpp); the
// time is the start of their first session. A warning names shards without the telemetry of a
// finished session. If all lack it, no file is written. It never ends the merge: a file that cannot
// be written is a warning, too. Errors: Cancel's.
void write_merged_telemetry(const MergedRun& run, const Cancel& cancel);

// True if a merge has written its telemetry there.
bool has_merged_telemetry(const RunFolder& directory);
// True if any of the shards has telemetry.
bool have_telemetry(const std::vector<std::filesystem::path>& shards);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_facts.hpp"
#include "run/export.hpp"
#include "run/predict.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

// What a line of summary_lines() begins with that warns.
inline constexpr std::string_view kWarningMark = "warning: ";

// What is to be said of a run beside what it returns.
struct RunRemarks {
  std::vector<Verdict> judged{};
  std::optional<double> gpu_percent{};  // that the least busy GPU was busy while embedding
  std::uint64_t warnings = 0;           // said while it was on
  bool reports = false;                 // they were wanted
};

// The last words of predict: what was found, how fast, what to know about it and which requirements
// it misses, where the files are.
std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary,
                                       const RunCounters& counters, const RunRemarks& remarks);

// The same of export and merge.
std::vector<std::string> export_lines(const ExportSummary& summary);

// Writes such lines: on stderr as they are, unless `quiet`, in the log as messages of the level
// that a line is of.
void say_summary(const std::vector<std::string>& lines, bool quiet);

// kExitPartial when some input or frame is missing from the tables, or the end of a run
// that was exported or reported on.
int exit_code(const RunSummary& summary);
int exit_code(const ExportSummary& summary);
int exit_code(const RunFacts& facts);

// What to say of alignments that were skipped, of which there are some.
std::string skipped_line(const SkippedAlignments& skipped);

}  // namespace virnucpro

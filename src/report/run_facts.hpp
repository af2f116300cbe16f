#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "report/score_facts.hpp"
#include "telemetry/batch_facts.hpp"
#include "telemetry/device_facts.hpp"
#include "telemetry/run_telemetry.hpp"

namespace virnucpro {

// All that a report says, read from the files of a run.
struct RunFacts {
  std::string name;  // the run's directory, as shown_text() has it
  std::string stem;
  bool finished = false;
  bool synthetic = false;
  double threshold = 0.5;
  Journal::Fingerprint fingerprint;
  std::vector<InputEntry> inputs;
  ScoreFacts scores;
  RunTelemetry telemetry;             // telemetry_<time>.json, or what the batches say of a run
  bool has_summary = false;           // that was killed and left none
  std::filesystem::path batch_lines;  // telemetry_<time>.jsonl; empty: there is none
  BatchFacts batches;
  MetricFacts metrics;
  std::vector<std::string> warnings;  // also of telemetry that could not be read

  bool measured() const { return has_summary || batches.totals.batches > 0 || metrics.rows > 0; }
};

// `threshold`: empty for the run's own. What can be read of damaged telemetry is taken, and a
// warning says which file is not whole. Errors: kJournalDamaged, Cancel's.
RunFacts read_run_facts(const Journal& journal, const std::filesystem::path& run,
                        std::optional<double> threshold, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "report/score_facts.hpp"
#include "tables/tables.hpp"
#include "telemetry/batch_facts.hpp"
#include "telemetry/device_facts.hpp"
#include "telemetry/run_telemetry.hpp"

namespace virnucpro {

// Everything that a report shows. It is read only from a run's files, so that killed runs and old
// runs have the same report as other runs.
struct RunFacts {
  std::string name;  // name of the run's directory, through shown_text()
  std::string stem;
  std::string sample;  // from sample_name()
  bool finished = false;
  bool synthetic = false;
  CallRule rule{};
  Journal::Fingerprint fingerprint;
  std::vector<InputEntry> inputs;
  ScoreFacts scores;
  RunTelemetry telemetry;    // telemetry_<time>.json; without it, telemetry_of_killed_run()
  bool has_summary = false;  // telemetry_<time>.json was read; a killed run has none
  std::filesystem::path batch_lines;  // telemetry_<time>.jsonl; empty if there is none
  BatchFacts batches;
  MetricFacts metrics;
  std::vector<std::string> warnings;  // includes warnings of unreadable telemetry

  bool measured() const {
    return has_summary || batches.pipeline.totals.batches > 0 || metrics.rows > 0;
  }
};

// Reads a run's facts, with `change` applied to the run's own rule for calls. If telemetry is
// damaged, a warning names the file; the rest is used. Errors: kJournalDamaged; those of Cancel.
RunFacts read_run_facts(const Journal& journal, const std::filesystem::path& run,
                        const CallRuleChange& change, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "run/virus_files.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

struct ExportSummary {
  CallRule rule{};
  TableCounts counts;
  std::string advice{};  // from model_advice()
  std::vector<InputEntry> inputs;
  VirusOutputs viruses{};
  bool covered = true;    // as margin_covers() says
  bool finished = false;  // false: the tables have the scores so far
  bool synthetic = false;
  std::filesystem::path tables;  // the folder of the tables
};

struct ExportSettings {
  std::filesystem::path run;  // a run's output directory
  // The folder of the tables. Empty: the run's own directory, or <run>_partial beside it for an
  // interrupted run.
  std::filesystem::path output;
  CallRuleChange rule{};
  TableChange tables{};  // applied to the run's tables
  VirusOutputs viruses{};
  std::vector<std::string> inputs{};  // the paths of the inputs now; empty: as the run read them
  // Renames the run's files of sequences called virus that this export does not name, instead of
  // writing them anew, if the calls in the run's own directory change (fastq_record.hpp).
  bool drop_viruses = false;
  bool force = false;  // replaces the files in another directory
  // Writes a run's reports anew. Called if the tables go into the run's own directory and the run
  // has reports.
  std::function<void(const Journal&, const RunFolder&)> on_reports{};
  // Called when the tables are in the run's own directory.
  std::function<void(const Journal&, const ExportSummary&, const RunFolder&)> on_tables{};
  // The check of the journal before anything is written. Each unit is also checked when it is read.
  Journal::Check check = Journal::Check::kDeep;
};

// Writes a run's tables and failed_inputs.txt from its journal. Nothing is computed: calls are made
// from scores when a file is written. Only the files of sequences called virus need the inputs,
// whose hashes are checked. In the run's own directory the journal takes over a new rule of calls,
// and every file that depends on the rule is written anew or removed. Elsewhere nothing of the run
// changes. Tables of an interrupted run come with a file PARTIAL. Errors: those of KeptRun; kUsage
// for sequences of a run that read a pipe; kInputChanged, kOutputExists, kOutputWrite.
ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

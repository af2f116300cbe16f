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
  std::string advice{};  // model_advice()
  std::vector<InputEntry> inputs;
  VirusOutputs viruses{};
  bool covered = true;    // by margin_covers()
  bool finished = false;  // false: the tables hold what was scored so far
  bool synthetic = false;
  std::filesystem::path tables;  // the folder of the tables
};

struct ExportSettings {
  std::filesystem::path run;  // a run's output directory
  // Where the tables go. Empty: the run's own directory, or <run>_partial beside it for an
  // interrupted run.
  std::filesystem::path output;
  CallRuleChange rule{};
  TableChange tables{};  // of what the run has
  VirusOutputs viruses{};
  std::vector<std::string> inputs{};  // where they lie now; empty: where the run found them
  // Where the calls of a run's own directory change: its files of sequences called virus that this
  // export does not name are renamed (fastq_record.hpp), not written anew.
  bool drop_viruses = false;
  bool force = false;  // replaces the files in another directory
  // Writes a run's reports anew. Called where the tables go into the run's own directory and it has
  // reports.
  std::function<void(const Journal&, const RunFolder&)> on_reports{};
  // Called when the tables are in the run's own directory.
  std::function<void(const Journal&, const ExportSummary&, const RunFolder&)> on_tables{};
  // Of the journal, before anything is written. Each unit is checked when it is read, too.
  Journal::Check check = Journal::Check::kDeep;
};

// Writes a run's tables and failed_inputs.txt from its journal. Nothing is computed; only the files
// of sequences called virus read the inputs, and check their hashes. In the run's own directory,
// the journal takes over another rule of calls, and every file that depends on it is written anew
// or removed. Tables of an interrupted run come with a file PARTIAL. Errors: KeptRun's; kUsage for
// sequences of a run that read a pipe; kInputChanged, kOutputExists, kOutputWrite.
ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

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
  std::string advice{};
  std::vector<InputEntry> inputs;
  VirusOutputs viruses{};
  bool covered = true;    // see margin_covers()
  bool finished = false;  // false: the tables have only the scores so far
  bool synthetic = false;
  std::filesystem::path tables;
};

struct ExportSettings {
  std::filesystem::path run;
  // The folder of the tables. Empty: the run's own directory, or <run>_partial beside it for an
  // interrupted run.
  std::filesystem::path output;
  CallRuleChange rule{};
  TableChange tables{};  // changes the run's own choice of tables
  VirusOutputs viruses{};
  std::vector<std::string> inputs{};  // the inputs' present paths; empty: as the run read them
  // True: renames the run's files of sequences called virus to NAME.of-old-rule instead of writing
  // them again, and writes only the files that this export names. Works only in the run's own
  // directory. Has an effect only if the calls change, or if a stopped export left such files
  // unwritten.
  bool drop_viruses = false;
  bool force = false;  // replaces a run's files in another directory
  // Writes a run's reports again. Called if the tables go into the run's own directory and the run
  // has reports.
  std::function<void(const Journal&, const RunFolder&)> on_reports{};
  // Called after the tables were written into the run's own directory.
  std::function<void(const Journal&, const ExportSummary&, const RunFolder&)> on_tables{};
  // The check of the journal before anything is written. Each unit is also checked when it is read.
  Journal::Check check = Journal::Check::kDeep;
};

// Writes a run's tables and failed_inputs.txt from its journal. Nothing is computed: calls are made
// from scores when a file is written. Only the files of sequences called virus need the inputs,
// whose hashes are checked. An export into the run's own directory stores a changed rule of calls
// in the journal, and rewrites or removes every file that depends on the rule. Any other export
// leaves the run as it is. Tables of an interrupted run come with a file PARTIAL. Errors: those of
// KeptRun; kUsage for files of sequences if the run read a pipe; kInputChanged, kOutputExists,
// kOutputWrite.
ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

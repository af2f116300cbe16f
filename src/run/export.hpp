#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

struct ExportSettings {
  std::filesystem::path run;  // a run's output directory
  // Where the tables go. Empty: the run's own directory, or <run>_partial beside it for an
  // interrupted run.
  std::filesystem::path output;
  std::optional<double> threshold;  // empty: the run's
  bool virus_fasta = false;
  bool force = false;  // replaces the files in another directory
};

struct ExportSummary {
  TableCounts counts;
  std::vector<InputEntry> inputs;
  bool finished = false;  // false: the tables hold what was scored so far
  bool synthetic = false;
  std::filesystem::path tables;  // the folder of the tables
};

// Writes a run's tables and failed_inputs.txt from its journal. Nothing is computed; only
// virus.fasta reads the inputs, and checks their hashes. Tables of an interrupted run come with a
// file PARTIAL. Errors: KeptRun's; kUsage for virus.fasta of a run that read a pipe; kInputChanged,
// kOutputExists, kOutputWrite.
ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <optional>

#include "base/cancel.hpp"
#include "run/predict.hpp"

namespace virnucpro {

struct ExportSettings {
  std::filesystem::path run;  // the output directory of a run
  // Where the tables go. Empty: the run's own directory or, of an interrupted run, <run>_partial
  // beside it.
  std::filesystem::path output;
  std::optional<double> threshold;  // empty: the run's
  bool virus_fasta = false;
  bool force = false;  // replace what lies in another directory
};

struct ExportSummary {
  TableCounts counts;
  std::vector<InputEntry> inputs;
  bool finished = false;  // else what was scored so far was written
  bool synthetic = false;
  std::filesystem::path tables;  // their folder
};

// The tables of a run from its journal, and failed_inputs.txt: nothing is computed, and of the
// inputs only virus.fasta needs any, checked against their hashes. Those of an interrupted run come
// with a file PARTIAL. Errors: KeptRun's; kUsage for viruses of a run that read a pipe;
// kInputChanged, kOutputExists, kOutputWrite.
ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

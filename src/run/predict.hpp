#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "engine/engine_facts.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "observe/counters.hpp"
#include "observe/phase.hpp"
#include "run/calibration.hpp"
#include "run/frame_stream.hpp"
#include "run/output_directory.hpp"
#include "run/settings.hpp"
#include "run/virus_files.hpp"
#include "sequence/input_set.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

struct PredictSettings {
  InputSettings inputs;
  ModelSettings models;
  ComputeSettings compute;
  std::uint64_t chunk_size = 500;
  Translation translation{};
  std::filesystem::path output;           // the output directory; unused with to_stdout
  bool to_stdout = false;                 // the frame table goes to the sink, nothing is kept
  std::string stem;                       // of the tables' folder
  std::string classifier_name;            // "300", "500" or "custom"
  Existing existing = Existing::kRefuse;  // what to do with an output directory in use
  bool start_over = false;                // if the journal to resume is refused
  bool check_journal = true;              // checks every unit of it first
  bool journal = true;                    // false: the run cannot be resumed
  // Seconds until the scores of an incomplete unit are written: a killed run loses no more.
  double journal_interval = limits().seconds_until_early;
  bool keep_intermediate = false;
  VirusOutputs viruses{};
  bool strict_input = false;
  CallRule rule{};
  bool names_rule = false;  // the user gave the rule: a resumed run writes its files anew
  // Chunks whose call is at most this far away from the other one, in logits, are computed again in
  // compute.check_precision; 0: none.
  double margin = 0;
  // Of the chunks furthest from the other call, the share that is also computed in the check
  // precision, to estimate how many calls it would change; 0: none.
  double shadow = 0;
  // The run ends once the shadow check knows that more than this share of the chunks would change.
  std::optional<double> most_changed_calls{};
  // The source of the int8 policy, and of the margin unless the user gives one.
  std::optional<Calibration> calibration{};
  MoreTables more{};
  std::uint64_t min_length = 0;
  Shard shard{};
};

struct RunSummary {
  VirusOutputs viruses{};  // what was written of the sequences called virus
  TableCounts counts;
  std::string advice{};  // model_advice()
  std::vector<InputEntry> inputs;
  std::uint64_t unknown_letters = 0;  // characters outside IUPAC
  std::uint64_t rna_sequences = 0;    // with U and no T, where RNA is refused
  SkippedAlignments skipped;          // of the inputs that were read to their end
  bool synthetic = false;             // some weights are seeded random numbers
  double seconds = 0;
};

// A run's facts when its models are loaded and its directory exists.
struct RunStart {
  std::optional<RunFolder> directory;
  std::map<std::string, std::string> description;  // of the models: run/load_models.hpp
  std::string kernel_path;
  std::size_t token_budget = 0;      // per batch
  std::vector<EngineFacts> workers;  // of each
  std::uint32_t esm2_width = 0;
  bool synthetic = false;
  bool resumed = false;
};

// Callbacks on a run's progress, on its own thread. An exception from them ends the run.
struct PredictEvents {
  std::function<void(const RunStart&)> on_start = [](const RunStart&) {};
  std::function<void(Phase)> on_phase = [](Phase) {};
  // The tables exist, and the run still holds its directory.
  std::function<void(const Journal&, const RunSummary&)> on_tables = [](const Journal&,
                                                                        const RunSummary&) {};
};

// The main job: reads sequences, writes tables. Throws the errors of its parts, and the first
// input's error when no input can be read; when none can even be opened, it throws before it
// touches any file. One failed input among others is in the summary, not an exception, unless
// `strict_input`. However the run ends, the journal has all computed scores. kJournalMismatch,
// kJournalDamaged: a journal to be resumed belongs to another run, or is damaged.
RunSummary predict(const PredictSettings& settings, RunCounters& counters, const Cancel& cancel,
                   const std::function<void(std::string_view)>& stdout_sink,
                   const PredictEvents& events = {});

}  // namespace virnucpro

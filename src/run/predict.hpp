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
  bool to_stdout = false;                 // the frame table goes to the sink, and no file is kept
  std::string stem;                       // tables go to <output>/<stem>_merged/
  std::string classifier_name;            // "300", "500" or "custom"
  Existing existing = Existing::kRefuse;  // what to do if the directory has files of a run
  bool start_over = false;                // start over if the journal to resume is refused
  bool check_journal = true;              // check every unit of the journal first
  bool journal = true;                    // false: the run cannot be resumed
  // A killed run loses at most the scores of this many seconds, even if no unit is complete.
  double journal_interval = limits().seconds_until_early;
  bool keep_intermediate = false;
  VirusOutputs viruses{};
  bool strict_input = false;
  CallRule rule{};
  bool names_rule = false;  // the user gave the rule: a resumed run writes the files of calls again
  // The margin of close calls, in logits. If errors of up to this margin can change a chunk's call,
  // the chunk is computed again in compute.check_precision. Unused without a check precision.
  double margin = 0;
  // This share (0 to 1) of the chunks with the clearest calls, and a larger share of other chunks,
  // is also computed in the check precision. The run then estimates how many calls would change in
  // that precision. 0: no estimate.
  double shadow = 0;
  // Ends the run if, even by the lower end of the shadow check's estimate, more than this share of
  // the calls that were not computed again would change.
  std::optional<double> most_changed_calls{};
  // The source of the int8 policy, and of the margin unless the user gives one.
  std::optional<Calibration> calibration{};
  MoreTables more{};
  std::uint64_t min_length = 0;
  Shard shard{};
};

struct RunSummary {
  VirusOutputs viruses{};
  TableCounts counts;
  std::string advice{};
  std::vector<InputEntry> inputs;
  std::uint64_t unknown_letters = 0;  // characters outside IUPAC
  std::uint64_t rna_sequences = 0;    // sequences with U and no T, if RNA is refused
  SkippedAlignments skipped;          // of the inputs that were read to their end
  bool synthetic = false;             // some weights are seeded random numbers
  double seconds = 0;
};

// The facts of a run whose models are loaded and whose directory exists.
struct RunStart {
  std::optional<RunFolder> directory;
  std::map<std::string, std::string> description;  // as in LoadedModels
  std::string kernel_path;
  std::size_t token_budget = 0;  // per batch
  std::vector<EngineFacts> workers;
  std::uint32_t esm2_width = 0;
  bool synthetic = false;
  bool resumed = false;
};

// Callbacks on a run's progress, on the run's thread. An exception from a callback ends the run.
struct PredictEvents {
  std::function<void(const RunStart&)> on_start = [](const RunStart&) {};
  std::function<void(Phase)> on_phase = [](Phase) {};
  // Called when the tables exist; the run still holds its directory.
  std::function<void(const Journal&, const RunSummary&)> on_tables = [](const Journal&,
                                                                        const RunSummary&) {};
};

// Reads sequences, scores them and writes tables. With `strict_input`, a failed input ends the run.
// Otherwise failed inputs are only in the summary, unless all inputs fail: then the first input's
// error is thrown. If no input can be opened, the error is thrown before any file is touched. Other
// errors: those of the functions called; kJournalMismatch or kJournalDamaged if the journal to
// resume belongs to another run or is damaged. The journal has all computed scores, also after an
// error.
RunSummary predict(const PredictSettings& settings, RunCounters& counters, const Cancel& cancel,
                   const std::function<void(std::string_view)>& stdout_sink,
                   const PredictEvents& events = {});

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "observe/counters.hpp"
#include "run/frame_stream.hpp"
#include "run/journal.hpp"
#include "run/output_directory.hpp"
#include "run/settings.hpp"
#include "run/tables.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

struct PredictSettings {
  InputSettings inputs;
  ModelSettings models;
  ComputeSettings compute;
  std::uint64_t chunk_size = 500;
  std::filesystem::path output;           // the output directory; not used with to_stdout
  bool to_stdout = false;                 // the frame table goes to the sink, nothing is kept
  std::string stem;                       // of the tables' folder
  std::string classifier_name;            // "300", "500" or "custom"
  Existing existing = Existing::kRefuse;  // what is done with an output directory in use
  bool start_over = false;                // where the journal to be resumed is refused
  bool check_journal = true;              // every unit of it, before anything else
  bool journal = true;                    // false: what is done cannot be resumed
  bool keep_intermediate = false;
  bool virus_fasta = false;
  bool strict_input = false;
  double threshold = 0.5;
  std::uint64_t min_length = 0;
  Shard shard{};
};

struct RunSummary {
  TableCounts counts;
  std::vector<InputEntry> inputs;
  std::uint64_t unknown_letters = 0;  // characters outside IUPAC
  SkippedAlignments skipped;          // of the inputs that were read to their end
  bool synthetic = false;             // some weights are seeded random numbers
  double seconds = 0;
};

// Sequences in, tables out: the main job. Errors: those of its parts; when no input could be read,
// the first input's, and before anything is touched when none can even be opened. A failed input
// among others is in the summary, not an exception, unless `strict_input`. However it ends, the
// journal has the scores of what was computed; kJournalMismatch and kJournalDamaged when one that
// is to be resumed is of another run or not whole.
RunSummary predict(const PredictSettings& settings, RunCounters& counters, const Cancel& cancel,
                   const std::function<void(std::string_view)>& stdout_sink);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The name of a file that a run writes, and the folder of the run's directory that it lies in.
// docs/use/outputs.md says what is in each file. In both, "*" stands for what differs from run to
// run (the stem, or the time at which the run began) and "#" for a number.
struct RunFile {
  std::string_view folder;  // "": the directory itself
  std::string_view name;

  // Its place in a run's directory.
  std::filesystem::path in(const std::filesystem::path& run, std::string_view differing = {},
                           std::uint64_t number = 0) const;
  // Whether a file, or a folder, of this name may be one.
  bool matches(std::string_view file_name) const;
  // All such files of a run, sorted. Of folders without "*".
  std::vector<std::filesystem::path> found_in(const std::filesystem::path& run) const;
  // What "*" stands for in a file's name; empty when the file is another. Of names without "#".
  std::string differing_in(const std::filesystem::path& file) const;
};

namespace run_files {

// Directories, named after the input's stem and after the directory of an interrupted run.
inline constexpr RunFile kDefaultOutput{"", "*_predictions"};
inline constexpr RunFile kPartialExport{"", "*_partial"};

// By stem.
inline constexpr RunFile kTableFolder{"", "*_merged"};
inline constexpr RunFile kFrameTable{kTableFolder.name, "prediction_results.txt"};
inline constexpr RunFile kConsensusTable{kTableFolder.name, "prediction_results_highestscore.csv"};
inline constexpr RunFile kChunks{"", "*_chunked#.fa"};  // the number is the chunk size
inline constexpr RunFile kNucleotides{"", "*_identified_nucleotide.fa"};
inline constexpr RunFile kProteins{"", "*_identified_protein.faa"};

inline constexpr RunFile kSequenceTable{"", "sequences.tsv"};
inline constexpr RunFile kVirusFasta{"", "virus.fasta"};
inline constexpr RunFile kFailedInputs{"", "failed_inputs.txt"};
inline constexpr RunFile kEmbeddings{"", "embeddings.h5"};
inline constexpr RunFile kSyntheticMark{"", "SYNTHETIC_WEIGHTS"};
inline constexpr RunFile kPartialMark{"", "PARTIAL"};

inline constexpr RunFile kJournal{"", "run.db"};
inline constexpr RunFile kJournalWal{"", "run.db-wal"};
inline constexpr RunFile kJournalShm{"", "run.db-shm"};
inline constexpr RunFile kJournalRollback{"", "run.db-journal"};
inline constexpr RunFile kJournalLock{"", "run.db.lock"};
inline constexpr RunFile kLock{"", "run.lock"};
inline constexpr RunFile kLog{"logs", "virnucpro.log"};

// By the time at which the run began.
inline constexpr RunFile kTelemetry{"", "telemetry_*.json"};
inline constexpr RunFile kBatchLines{"", "telemetry_*.jsonl"};
inline constexpr RunFile kBatchNumbers{"", "telemetry_*.h5"};
inline constexpr RunFile kMonitorLog{"logs", "gpu_metrics_*.log"};

inline constexpr RunFile kReportHtml{"", "report.html"};
inline constexpr RunFile kReportMarkdown{"", "report.md"};
inline constexpr RunFile kReportJson{"", "report.json"};
inline constexpr RunFile kMultiqcGeneral{"", "virnucpro_mqc.json"};
inline constexpr RunFile kMultiqcScores{"", "virnucpro_scores_mqc.tsv"};

// Files that nobody sees: what is sorted, and the sequences of a pipe. The second never gets its
// name, only AtomicFile's for what is not complete.
inline constexpr RunFile kSpill{"", ".sort-*"};
inline constexpr RunFile kSpool{"", "sequences.fasta"};

}  // namespace run_files

// Whether a file is one that a run writes, complete or not, by its folder in the run's directory
// ("": itself) and its name. --force removes these and no others. The lock is none of them: it goes
// with its holder.
bool is_run_file(std::string_view folder, std::string_view name);
// Whether such files may lie in a folder of this name.
bool is_run_folder(std::string_view name);
// Whether a run file of this name is not complete: a run that was killed left it.
bool is_incomplete(std::string_view name);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The name of a file that a run writes, and its folder in the run's directory. docs/use/outputs.md
// describes the files. In `folder` and `name`, "*" stands for the part that differs between runs
// (the stem, or the time of the run's start) and "#" for a number.
struct RunFile {
  std::string_view folder;  // "": the directory itself
  std::string_view name;

  // Returns the file's path in a run's directory. `differing` replaces "*", `number` replaces "#".
  std::filesystem::path in(const std::filesystem::path& run, std::string_view differing = {},
                           std::uint64_t number = 0) const;
  // True if `file_name` fits the pattern `name`.
  bool matches(std::string_view file_name) const;
  // Returns the existing files of a run that fit the pattern, sorted. `folder` must have no "*".
  std::vector<std::filesystem::path> found_in(const std::filesystem::path& run) const;
  // Returns the text that stands for "*" in a file's name; empty if the name does not fit. `name`
  // must have no "#".
  std::string differing_in(const std::filesystem::path& file) const;
};

namespace run_files {

// Names of output directories. "*" is the input's stem, or the interrupted run's directory.
inline constexpr RunFile kDefaultOutput{"", "*_predictions"};
inline constexpr RunFile kPartialExport{"", "*_partial"};

// In these names "*" is the stem.
inline constexpr RunFile kTableFolder{"", "*_merged"};
inline constexpr RunFile kFrameTable{kTableFolder.name, "prediction_results.txt"};
inline constexpr RunFile kConsensusTable{kTableFolder.name, "prediction_results_highestscore.csv"};
inline constexpr RunFile kChunks{"", "*_chunked#.fa"};  // "#" is the chunk size
inline constexpr RunFile kNucleotides{"", "*_identified_nucleotide.fa"};
inline constexpr RunFile kProteins{"", "*_identified_protein.faa"};

inline constexpr RunFile kSequenceTable{"", "sequences.tsv"};
inline constexpr RunFile kContigTable{"", "contigs.tsv"};
inline constexpr RunFile kChunkBed{"", "chunks.bed"};
inline constexpr RunFile kVirusFasta{"", "virus.fasta"};
inline constexpr RunFile kFailedInputs{"", "failed_inputs.txt"};
inline constexpr RunFile kEmbeddings{"", "embeddings.h5"};
inline constexpr RunFile kSyntheticMark{"", "SYNTHETIC_WEIGHTS"};
inline constexpr RunFile kPartialMark{"", "PARTIAL"};

inline constexpr RunFile kJournal{"", "run.db"};
inline constexpr RunFile kJournalWal{"", "run.db-wal"};
inline constexpr RunFile kJournalLock{"", "run.db.lock"};
inline constexpr RunFile kLock{"", "run.lock"};
inline constexpr RunFile kLockAside{"", "run.lock-*"};  // exist while a lock is taken: run_lock.hpp
inline constexpr RunFile kOwnFiles{"", "run.files"};    // the record of run_folder.hpp
inline constexpr RunFile kLog{"logs", "virnucpro.log"};

// In these names "*" is the time of the run's start.
inline constexpr RunFile kTelemetry{"", "telemetry_*.json"};
inline constexpr RunFile kBatchLines{"", "telemetry_*.jsonl"};
inline constexpr RunFile kBatchNumbers{"", "telemetry_*.h5"};
inline constexpr RunFile kMonitorLog{"logs", "gpu_metrics_*.log"};

inline constexpr RunFile kReportHtml{"", "report.html"};
inline constexpr RunFile kReportMarkdown{"", "report.md"};
inline constexpr RunFile kReportJson{"", "report.json"};
inline constexpr RunFile kMultiqcGeneral{"", "virnucpro_mqc.json"};
inline constexpr RunFile kMultiqcCalls{"", "virnucpro_calls_mqc.json"};
inline constexpr RunFile kMultiqcVersions{"", "virnucpro_mqc_versions.yml"};
inline constexpr RunFile kMultiqcScores{"", "virnucpro_scores_mqc.tsv"};

// A temporary file for the sequences of a pipe. Its name always has the ending that AtomicFile
// gives to incomplete files.
inline constexpr RunFile kSpool{"", "sequences.fasta"};

}  // namespace run_files

// True if a run may write a file of this name, complete or incomplete. `folder` is a folder in the
// run's directory; "" is the directory itself. RunFolder knows which files a run has written.
bool is_run_file(std::string_view folder, std::string_view name);
// Like is_run_file(), but only for the names that a run of this stem uses. False for names with a
// time instead of a stem, such as telemetry files' names.
bool is_run_file_of(std::string_view stem, std::string_view folder, std::string_view name);
// True if a folder of this name may contain files of a run.
bool is_run_folder(std::string_view name);
// True for the name of an incomplete file. Only a killed run leaves such files.
bool is_incomplete(std::string_view name);
// Returns the name without the ending of incomplete files.
std::string_view complete_name(std::string_view name);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// The classifier: "300", "500" or "custom".
inline constexpr const char* kModelTypeKey = "model_type";
// This entry is missing for the standard code, so that journals of earlier versions can be resumed.
inline constexpr const char* kGeneticCodeKey = "genetic_code";
inline constexpr const char* kRnaKey = "rna";  // "true" if U is read as T; else not written
// "true" if an input of RNA fails. It is not part of a run's identity, because the scores of other
// inputs stay the same.
inline constexpr const char* kRefusesRnaKey = "refuses_rna";
inline constexpr const char* kVirusFastaKey = "virus_fasta";
inline constexpr const char* kVirusFilesKey = "virus_fastq_";  // plus a number: fastq_record.hpp
// Versions up to 0.2 wrote this key, with only the absolute prefix.
inline constexpr const char* kVirusFastqKey = "virus_fastq";

// Returns a run's description for its journal: the settings and models that determine its scores,
// and information for readers ("esm2": where the weights came from).
Journal::Fingerprint run_fingerprint(const PredictSettings& settings,
                                     const std::map<std::string, std::string>& models);

// Returns, for a resumed run, the entries that differ from the journal but do not affect scores,
// such as the rule of calls and the paths of the inputs.
Journal::Fingerprint changed_entries(const Journal::Fingerprint& journal,
                                     const Journal::Fingerprint& now);

// Returns the absolute path, because a later command may run elsewhere; "-" and "" stay.
std::string absolute_path(const std::string& path);
// Returns the key of an input file's absolute path; files count from 0.
std::string input_path_key(std::size_t index);
std::vector<std::string> input_paths_of(const Journal::Fingerprint& print);
// Returns the files that no command may replace: the inputs and their reference. "-" is left out,
// because it was another process's stdin.
InputSettings inputs_to_keep(const Journal::Fingerprint& print);
// Returns the inputs' names as they were given. Earlier versions kept only the paths.
std::vector<std::string> input_names_of(const Journal::Fingerprint& print);

// Returns the inputs' names; a name in the journal's entry of an input goes first.
std::vector<std::string> input_names_of(const Journal& journal);

// Returns a shard as the fingerprint and --shard name it: "0/4".
std::string shard_text(const Shard& shard);
Shard shard_of(const Journal::Fingerprint& print);
// True if the run computed the chunks again that are close by this rule, or no chunks at all.
bool margin_covers(const Journal::Fingerprint& print, const CallRule& rule);
// Returns the chunk size; empty if the fingerprint lacks it.
std::optional<std::uint64_t> chunk_size_of(const Journal::Fingerprint& print);
// True if the rows of contigs.tsv are sorted by id.
bool is_sorted_naturally(const Journal::Fingerprint& print);
// True if the run dealt its sequences to shards as this version does. Earlier versions did not.
bool is_dealt_as_now(const Journal::Fingerprint& print);

// True if the run has this file, or must write it at its end: a command that continues the run then
// writes it unasked. A removed virus.fasta does not count; an incomplete one does, because a
// stopped command leaves it.
bool wants_virus_fasta(const RunFolder& folder, const Journal::Fingerprint& print);
bool wants_bed(const RunFolder& folder, const Journal::Fingerprint& print);

// Returns the entries for the rule of calls and the order of contigs.tsv.
Journal::Fingerprint rule_entries(const CallRule& rule, const MoreTables& more);
// Returns the run's own rule. Earlier versions do not name the rule: it is majority, whatever their
// contigs.tsv follows. Values that the fingerprint lacks are the defaults.
CallRule rule_of(const Journal::Fingerprint& print);

// Returns a hash of everything that all shards of one run have in common.
std::string shared_settings(const Journal::Fingerprint& print);
// A setting that two runs, or shards, must share but do not.
struct SettingDifference {
  std::string name;  // in messages
  std::string first;
  std::string second;
};
std::vector<SettingDifference> differing_settings(const Journal::Fingerprint& first,
                                                  const Journal::Fingerprint& second);

// Checks that a resumed run will give the same scores. Errors: kJournalMismatch, naming journal,
// settings and values. Another build with the same numerics version only gives a warning.
void require_same_run(const Journal::Fingerprint& journal, const Journal::Fingerprint& now,
                      const std::filesystem::path& path);

// Keys of a run's fingerprint.
inline constexpr const char* kSyntheticKey = "synthetic_weights";
inline constexpr const char* kTokenizerHashKey = "tokenizer_hash";
// The text of an Int8Policy; runs in other precisions have no such entry.
inline constexpr const char* kInt8KeepKey = "int8_keep";
// The check precision and the margin in logits, in runs that compute close calls again.
inline constexpr const char* kCheckPrecisionKey = "check_precision";
inline constexpr const char* kMarginKey = "margin";
inline constexpr const char* kCalibrationKey = "calibration";
// These are only for the report: shards may have the same calibration in several files.
inline constexpr const char* kCalibrationFileKey = "calibration_file";
inline constexpr const char* kCalibrationMarginKey = "calibration_margin";
// Only in merged runs: the number of shards, a hash of their scores, the frames without a score.
inline constexpr const char* kMergedShardsKey = "merged_shards";
inline constexpr const char* kMergedHashKey = "merged_hash";
inline constexpr const char* kMergedFailedFramesKey = "merged_failed_frames";

// Writes the file SYNTHETIC_WEIGHTS if the models are synthetic. The tables beside it cannot say
// that their scores mean nothing. Errors: kOutputWrite.
void mark_synthetic(const RunFolder& directory, const std::map<std::string, std::string>& models);

// True if a run's description says that its weights are seeded random numbers.
bool is_synthetic(const std::map<std::string, std::string>& models);

}  // namespace virnucpro

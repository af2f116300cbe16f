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

// "300", "500" or "custom".
inline constexpr const char* kModelTypeKey = "model_type";
// Only in runs of another code than the standard one.
inline constexpr const char* kGeneticCodeKey = "genetic_code";
inline constexpr const char* kRnaKey = "rna";  // "true" in runs that read U as T
// Whether an input that is RNA fails: no part of the run's identity, as the scores of others are
// the same.
inline constexpr const char* kRefusesRnaKey = "refuses_rna";
inline constexpr const char* kVirusFastaKey = "virus_fasta";
inline constexpr const char* kVirusFilesKey = "virus_fastq_";  // and a number: fastq_record.hpp
// Of versions up to 0.2: the absolute prefix alone.
inline constexpr const char* kVirusFastqKey = "virus_fastq";

// A run's description for its journal: the settings and models that determine its scores, and
// information for readers ("esm2": where the weights came from).
Journal::Fingerprint run_fingerprint(const PredictSettings& settings,
                                     const std::map<std::string, std::string>& models);

// For a resumed run: entries that differ from its journal's but do not affect scores, such as the
// rule of calls and the paths of the inputs.
Journal::Fingerprint changed_entries(const Journal::Fingerprint& journal,
                                     const Journal::Fingerprint& now);

// Absolute, because a later command may run elsewhere; "-" and an empty one stay as they are.
std::string absolute_path(const std::string& path);
// The key of an input file's absolute path; files count from 0.
std::string input_path_key(std::size_t index);
std::vector<std::string> input_paths_of(const Journal::Fingerprint& print);
// What no command may replace: the inputs and their reference. Not "-", which is another process's
// stdin.
InputSettings inputs_to_keep(const Journal::Fingerprint& print);
// The names of the run's inputs, as they were given. Earlier runs kept only the paths.
std::vector<std::string> input_names_of(const Journal::Fingerprint& print);

// The same where the journal has an entry for an input, and as the fingerprint has it otherwise.
std::vector<std::string> input_names_of(const Journal& journal);

// "0/4", as in the fingerprint and in --shard.
std::string shard_text(const Shard& shard);
Shard shard_of(const Journal::Fingerprint& print);
// Whether the run computed what is close by this rule again, if it computed anything again.
bool margin_covers(const Journal::Fingerprint& print, const CallRule& rule);
// Empty where it is not said.
std::optional<std::uint64_t> chunk_size_of(const Journal::Fingerprint& print);
// Whether the rows of contigs.tsv come by id.
bool is_sorted_naturally(const Journal::Fingerprint& print);
// Whether a run dealt its sequences to shards as this program does. Earlier ones did it otherwise.
bool is_dealt_as_now(const Journal::Fingerprint& print);

// Whether these are a run's, though the command that goes on with it does not name them: it has
// them, or was to write them at its end. virus.fasta may have been removed since; a stopped command
// leaves it incomplete.
bool wants_virus_fasta(const RunFolder& folder, const Journal::Fingerprint& print);
bool wants_bed(const RunFolder& folder, const Journal::Fingerprint& print);

// The entries for the rule of calls, and for the order of contigs.tsv.
Journal::Fingerprint rule_entries(const CallRule& rule, const MoreTables& more);
// The run's own rule; of earlier runs, which name none, majority, whatever their contigs.tsv is by.
// What a fingerprint does not say is the default.
CallRule rule_of(const Journal::Fingerprint& print);

// A hash of everything that all shards of one run have in common.
std::string shared_settings(const Journal::Fingerprint& print);
// The settings that two runs, or shards, must share and do not.
struct SettingDifference {
  std::string name;  // for the user
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
// An Int8Policy's text; runs in other precisions have no such entry.
inline constexpr const char* kInt8KeepKey = "int8_keep";
// In runs that compute close calls again: in which precision, and how close in logits.
inline constexpr const char* kCheckPrecisionKey = "check_precision";
inline constexpr const char* kMarginKey = "margin";
inline constexpr const char* kCalibrationKey = "calibration";
// For the report alone: shards may have the same calibration in several files.
inline constexpr const char* kCalibrationFileKey = "calibration_file";
inline constexpr const char* kCalibrationMarginKey = "calibration_margin";
// In merged runs: how many shards, a hash of their scores, and the frames without a score.
inline constexpr const char* kMergedShardsKey = "merged_shards";
inline constexpr const char* kMergedHashKey = "merged_hash";
inline constexpr const char* kMergedFailedFramesKey = "merged_failed_frames";

// Writes the file SYNTHETIC_WEIGHTS where the models described are such: it says beside the tables,
// which cannot, what their scores are worth. Errors: kOutputWrite.
void mark_synthetic(const RunFolder& directory, const std::map<std::string, std::string>& models);

// Whether a run's description says that its weights are seeded random numbers.
bool is_synthetic(const std::map<std::string, std::string>& models);

}  // namespace virnucpro

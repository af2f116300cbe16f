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

// The name of the classifier: "300", "500" or "custom".
inline constexpr const char* kModelTypeKey = "model_type";
// The genetic code. Code 1 has no entry, so that journals of earlier versions can be resumed.
inline constexpr const char* kGeneticCodeKey = "genetic_code";
inline constexpr const char* kRnaKey = "rna";  // "true" if U is read as T, otherwise no entry
// "true" if an input of RNA fails. Runs may differ in this entry, because the scores of other
// inputs stay the same.
inline constexpr const char* kRefusesRnaKey = "refuses_rna";
inline constexpr const char* kCutOffsKey = "cut_offs";  // the file's name, '\n', the file's text
inline constexpr const char* kVirusFastaKey = "virus_fasta";
inline constexpr const char* kVirusFilesKey = "virus_fastq_";  // a number follows: fastq_record.hpp
// The entry of versions up to 0.2 for --virus-fastq. Its value is the absolute prefix alone.
inline constexpr const char* kVirusFastqKey = "virus_fastq";

// Returns a run's description for its journal: the settings and models that determine its scores,
// and information for readers ("esm2": the origin of the weights).
Journal::Fingerprint run_fingerprint(const PredictSettings& settings,
                                     const std::map<std::string, std::string>& models);

// Returns the entries of `now` that differ from the journal, except the program's version. A
// resumed run writes these entries to the journal. No score depends on them (rule of calls, paths,
// …).
Journal::Fingerprint changed_entries(const Journal::Fingerprint& journal,
                                     const Journal::Fingerprint& now);

// Returns the absolute path, because a later command may run in another folder; "-" and "" stay.
std::string absolute_path(const std::string& path);
// Returns the key of an input file's absolute path; files count from 0.
std::string input_path_key(std::size_t index);
std::vector<std::string> input_paths_of(const Journal::Fingerprint& print);
// Returns the files that no command may replace: the inputs and their reference. Leaves out "-",
// which was another process's stdin.
InputSettings inputs_to_keep(const Journal::Fingerprint& print);
// Returns the inputs' names as the user gave them. Earlier versions stored only the paths.
std::vector<std::string> input_names_of(const Journal::Fingerprint& print);

// Returns the inputs' names. If the journal has an entry for an input, its name is from this entry.
std::vector<std::string> input_names_of(const Journal& journal);

// Returns a shard as text, for the fingerprint and --shard: "0/4".
std::string shard_text(const Shard& shard);
Shard shard_of(const Journal::Fingerprint& print);
// True if the run computes no chunk again, or computes again all chunks that are close by `rule`.
bool margin_covers(const Journal::Fingerprint& print, const CallRule& rule);
// Returns the chunk size; empty if the fingerprint lacks it.
std::optional<std::uint64_t> chunk_size_of(const Journal::Fingerprint& print);
// True if the rows of contigs.tsv are sorted by id.
bool is_sorted_naturally(const Journal::Fingerprint& print);
// True if the run assigned sequences to shards as this version does. Earlier versions did not.
bool is_dealt_as_now(const Journal::Fingerprint& print);

// These are true if the run has the file, or must write it at its end. A command that continues the
// run then writes the file even without an option for it. A removed virus.fasta does not count. An
// incomplete virus.fasta counts, because a stopped command may leave one.
bool wants_virus_fasta(const RunFolder& folder, const Journal::Fingerprint& print);
bool wants_bed(const RunFolder& folder, const Journal::Fingerprint& print);

// Returns the entries for the rule of calls and the order of contigs.tsv.
Journal::Fingerprint rule_entries(const CallRule& rule, const MoreTables& more);
// Returns the run's own rule. Journals of earlier versions name no rule: their rule is majority,
// even if they have a contigs.tsv. Missing values are the defaults.
// Errors: kJournalDamaged for cut-offs that cannot be read.
CallRule rule_of(const Journal::Fingerprint& print);
// Returns the run's own rule with a user's changes. Errors: those of CallRuleChange and
// require_made_for().
CallRule changed_rule(const Journal::Fingerprint& print, const CallRuleChange& change);
// Throws if the cut-offs were made with other models or settings than the run's: kCutOffs, naming
// each difference.
void require_made_for(const CutOffs& cut_offs, const Journal::Fingerprint& print);

// Returns a hash of everything that all shards of one run have in common.
std::string shared_settings(const Journal::Fingerprint& print);
// A setting that must be equal in two runs, or shards, but differs.
struct SettingDifference {
  std::string name;  // the setting's name in messages
  std::string first;
  std::string second;
};
std::vector<SettingDifference> differing_settings(const Journal::Fingerprint& first,
                                                  const Journal::Fingerprint& second);
// Returns the models and settings on which the meaning of a score depends, by their names in
// messages. A cut-off is valid only for the values with which it was chosen. Device, margin and
// calibration are not among them.
std::map<std::string, std::string> settings_of_cut_offs(const Journal::Fingerprint& print);

// Checks that a resumed run will give the same scores. Errors: kJournalMismatch, naming journal,
// settings and values. Another build with the same numerics version only gives a warning.
void require_same_run(const Journal::Fingerprint& journal, const Journal::Fingerprint& now,
                      const std::filesystem::path& path);

inline constexpr const char* kSyntheticKey = "synthetic_weights";
inline constexpr const char* kTokenizerHashKey = "tokenizer_hash";
// The text of an Int8Policy; only runs in int8 have this entry.
inline constexpr const char* kInt8KeepKey = "int8_keep";
// The check precision and the margin in logits, in runs that compute close calls again.
inline constexpr const char* kCheckPrecisionKey = "check_precision";
inline constexpr const char* kMarginKey = "margin";
inline constexpr const char* kCalibrationKey = "calibration";
// Only for the report, not compared: shards may have copies of one calibration in different places,
// and the value of kCalibrationKey covers the margin.
inline constexpr const char* kCalibrationFileKey = "calibration_file";
inline constexpr const char* kCalibrationMarginKey = "calibration_margin";
// Entries of merged runs: number of shards, hash of their scores, number of frames without a score.
inline constexpr const char* kMergedShardsKey = "merged_shards";
inline constexpr const char* kMergedHashKey = "merged_hash";
inline constexpr const char* kMergedFailedFramesKey = "merged_failed_frames";

// Writes the file SYNTHETIC_WEIGHTS if the models are synthetic. The tables beside it cannot say
// that their scores mean nothing. Errors: kOutputWrite.
void mark_synthetic(const RunFolder& directory, const std::map<std::string, std::string>& models);

// True if a run's description says that its weights are seeded random numbers.
bool is_synthetic(const std::map<std::string, std::string>& models);

}  // namespace virnucpro

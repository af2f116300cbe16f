#include "run/run_fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/fingerprint_entry.hpp"
#include "journal/run_files.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

constexpr const char* kVersionKey = "program_version";
constexpr const char* kShardKey = "shard";
constexpr const char* kKernelPathKey = "kernel_path";
constexpr const char* kSharding = "sharding";
constexpr const char* kRule = "rule";
constexpr const char* kMinTier = "min_tier";
constexpr const char* kRollup = "rollup";
constexpr const char* kBed = "bed";
constexpr const char* kRollupSort = "rollup_sort";
constexpr const char* kNaturalSort = "natural";
constexpr const char* kShardingRule = "letters, pairs together";

struct Part {
  const char* key;
  const char* name;                     // the part's name in messages
  const char* otherwise = "not given";  // the value if a run has no such entry
  bool of_cut_offs = false;             // cut-offs are valid only for runs with the same value
};

// All entries that determine the scores, their order and their division into units.
constexpr std::array kParts{
    Part{"inputs", "the number of inputs"},
    Part{"paired", "--paired"},
    Part{kShardKey, "--shard"},
    Part{"chunk_size", "the chunk size", "not given", true},
    Part{kGeneticCodeKey, "--genetic-code", "1", true},
    Part{kRnaKey, "--rna", "false", true},
    Part{"min_length", "--min-length"},
    Part{"keep_intermediate", "--keep-intermediate"},
    Part{"dnabert_s_hash", "the weights of DNABERT-S", "not given", true},
    Part{kTokenizerHashKey, "the tokenizer of DNABERT-S", "not given", true},
    Part{"esm2_hash", "the weights of ESM-2", "not given", true},
    Part{"classifier_hash", "the classifier", "not given", true},
    Part{"precision", "the precision", "not given", true},
    Part{kInt8KeepKey, "--int8-keep", "not given", true},
    Part{kMarginKey, "--margin"},
    Part{kCheckPrecisionKey, "--check-precision"},
    Part{kCalibrationKey, "--calibration"},
    Part{kKernelPathKey, "the kernel path"},
    Part{"numerics_version", "the numerics version"},
    Part{"cutting", "how sequences are cut into units"},
    Part{kSharding, "how sequences are divided among shards"},
};

std::string value_of(const Journal::Fingerprint& print, const char* key) {
  const auto found = print.find(key);
  return found == print.end() ? "not given" : found->second;
}

// Versions up to 0.2 (without kRefusesRnaKey) also wrote "cpu-avx512-bf16" for bf16 on AMX.
std::string kernel_path_of(const Journal::Fingerprint& print) {
  const std::string path = value_of(print, kKernelPathKey);
  const bool is_unclear = path == "cpu-avx512-bf16" && !print.contains(kRefusesRnaKey);
  return is_unclear ? "cpu-avx512-bf16 or cpu-amx-bf16, which version 0.2 did not tell apart"
                    : path;
}

// Returns a run's value of an entry in kParts, or `otherwise` if the run has no such entry. Two
// runs are compared by these values.
std::string shared_value(const Journal::Fingerprint& print, const Part& part) {
  if (std::string_view(part.key) == kKernelPathKey) return kernel_path_of(print);
  return print.contains(part.key) ? print.at(part.key) : part.otherwise;
}

// Returns the values of numbered keys, up to the first missing key.
std::vector<std::string> values_of(const Journal::Fingerprint& print,
                                   std::string (*key)(std::size_t index)) {
  std::vector<std::string> values;
  for (auto found = print.find(key(0)); found != print.end();
       found = print.find(key(values.size()))) {
    values.push_back(found->second);
  }
  return values;
}

// Returns the rule's thresholds as text, because they also decide which chunks are computed again.
std::string boundaries_text(const CallRule& rule) {
  std::string text;
  if (rule.cut_offs()) return fmt::format(" with the cut-offs {}", rule.cut_offs()->hash);
  if (rule.min_score() > 0) text += fmt::format(" with --min-score {}", rule.min_score());
  if (rule.is_viral_ngs()) {
    text += fmt::format(" with {} at {}", kRollupName, rule.viral_ngs().min_weighted_delta);
  }
  return text;
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error || path.empty() || path == "-" ? path : absolute.string();
}

Journal::Fingerprint run_fingerprint(const PredictSettings& settings,
                                     const std::map<std::string, std::string>& models) {
  Journal::Fingerprint print(models.begin(), models.end());
  const auto yes_or_no = [](bool value) { return value ? "true" : "false"; };
  print["inputs"] = fmt::format("{}", settings.inputs.paths.size());
  for (std::size_t k = 0; k < settings.inputs.paths.size(); ++k) {
    print[input_path_key(k)] = absolute_path(settings.inputs.paths[k]);
  }
  const std::vector<std::string> names = input_names(settings.inputs);
  for (std::size_t k = 0; k < names.size(); ++k) print[input_name_key(k)] = names[k];
  print["reference"] = absolute_path(settings.inputs.reference);
  print["paired"] = yes_or_no(settings.inputs.paired);
  print[kShardKey] = shard_text(settings.shard);
  print["chunk_size"] = fmt::format("{}", settings.chunk_size);
  if (settings.translation.genetic_code != 1) {
    print[kGeneticCodeKey] = fmt::format("{}", settings.translation.genetic_code);
  }
  if (settings.translation.rna) print[kRnaKey] = "true";
  print[kRefusesRnaKey] = yes_or_no(settings.inputs.refuse_rna);
  print["min_length"] = fmt::format("{}", settings.min_length);
  print["keep_intermediate"] = yes_or_no(settings.keep_intermediate);
  print["stem"] = settings.stem;
  print[kModelTypeKey] = settings.classifier_name;
  print[kVirusFastaKey] = yes_or_no(settings.viruses.fasta);
  print[kBed] = yes_or_no(settings.more.bed);
  if (settings.compute.check_precision) {
    print[kMarginKey] = fmt::format("{}{}", settings.margin, boundaries_text(settings.rule));
  }
  if (settings.calibration) {
    print[kCalibrationKey] = settings.calibration->effect();
    print[kCalibrationFileKey] = settings.calibration->place();
    print[kCalibrationMarginKey] = fmt::format("{}", settings.calibration->margin);
  }
  print.merge(rule_entries(settings.rule, settings.more));
  print["cutting"] = fmt::format("{} chunks, each sequence by itself", limits().chunks_per_block);
  print[kSharding] = kShardingRule;
  return print;
}

Journal::Fingerprint changed_entries(const Journal::Fingerprint& journal,
                                     const Journal::Fingerprint& now) {
  Journal::Fingerprint changed;
  for (const auto& [key, value] : now) {
    if (key != kVersionKey && value_of(journal, key.c_str()) != value) changed.emplace(key, value);
  }
  return changed;
}

std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

bool is_dealt_as_now(const Journal::Fingerprint& print) {
  return value_of(print, kSharding) == kShardingRule;
}

Shard shard_of(const Journal::Fingerprint& print) {
  const std::optional<Shard> shard = parse_shard(value_of(print, kShardKey));
  if (shard) return *shard;
  throw Error(ErrorKind::kJournalDamaged, "its settings do not say which shard (I/N) the run is");
}

Journal::Fingerprint rule_entries(const CallRule& rule, const MoreTables& more) {
  const auto& cut_offs = rule.cut_offs();
  return {{"min_score", fmt::format("{}", rule.min_score())},
          {"min_share", fmt::format("{}", rule.min_share())},
          {kRule, std::string(word_of(rule.name()))},
          {kRollup, text_of(rule.viral_ngs())},
          {kMinTier, std::string(short_tier(rule.min_tier()))},
          {kRollupSort, more.natural_order ? kNaturalSort : "input"},
          {kCutOffsKey, cut_offs ? cut_offs->file + '\n' + cut_offs->text : ""}};
}

std::optional<std::uint64_t> chunk_size_of(const Journal::Fingerprint& print) {
  const auto size = parse_count(value_of(print, "chunk_size"));
  return size == 0U ? std::nullopt : size;
}

bool is_sorted_naturally(const Journal::Fingerprint& print) {
  return value_of(print, kRollupSort) == kNaturalSort;
}

bool margin_covers(const Journal::Fingerprint& print, const CallRule& rule) {
  const std::string text = entry_of(print, kMarginKey);
  const std::string covered = text.substr(std::min(text.find(' '), text.size())) + " ";
  return text.empty() || covered.starts_with(boundaries_text(rule) + " ");
}

bool wants_virus_fasta(const RunFolder& folder, const Journal::Fingerprint& print) {
  if (!folder.has_written(run_files::kVirusFasta)) {
    return value_of(print, kVirusFastaKey) == "true";
  }
  return std::ranges::any_of(folder.own_files(), [](const RunFolder::OwnFile& own) {
    return own.folder.empty() && complete_name(own.name) == run_files::kVirusFasta.name;
  });
}

bool wants_bed(const RunFolder& folder, const Journal::Fingerprint& print) {
  return folder.has_written(run_files::kChunkBed) || value_of(print, kBed) == "true";
}

CallRule rule_of(const Journal::Fingerprint& print) {
  const auto number = [&print](const char* key) { return parse_number(value_of(print, key)); };
  const double share =
      number("min_share").value_or(number("threshold").value_or(CallRule::kDefaultMinShare));
  CallRule rule(number("min_score").value_or(CallRule::kDefaultMinScore), share);
  rule.set_viral_ngs(parse_rollup(value_of(print, kRollup)).value_or(RollupRule{}));
  if (const std::string entry = entry_of(print, kCutOffsKey); !entry.empty()) {
    const std::size_t end = std::min(entry.find('\n'), entry.size() - 1);
    rule.use_cut_offs(parse_cut_offs(entry.substr(end + 1), entry.substr(0, end),
                                     run_files::kJournal.name, ErrorKind::kJournalDamaged));
  }
  if (rule_named(value_of(print, kRule)) != RuleName::kViralNgs) return rule;
  const std::string_view tier = tier_named(value_of(print, kMinTier));
  rule.use_viral_ngs(tier.empty() ? kReviewTier : tier);
  return rule;
}

CallRule changed_rule(const Journal::Fingerprint& print, const CallRuleChange& change) {
  if (change.cut_offs) require_made_for(*change.cut_offs, print);
  return change.over(rule_of(print));
}

void require_made_for(const CutOffs& cut_offs, const Journal::Fingerprint& print) {
  std::map<std::string, std::string> made_for = cut_offs.made_for;
  std::vector<std::string> others;
  for (const auto& [name, value] : settings_of_cut_offs(print)) {
    const std::string other = made_for.contains(name) ? made_for.at(name) : "not given";
    made_for.erase(name);
    if (other == value) continue;
    others.push_back(fmt::format("{} ({}, but {} in the run)", name, other, shown_text(value)));
  }
  // A later version may have made the cut-offs for settings that this version does not know.
  for (const auto& [name, value] : made_for) {
    others.push_back(fmt::format("{} ({}, but not known in the run)", name, value));
  }
  if (others.empty()) return;
  throw Error(ErrorKind::kCutOffs, Place{.file = cut_offs.file},
              fmt::format("they were made with other models or settings than the run's: {}",
                          fmt::join(others, "; ")));
}

std::string input_path_key(std::size_t index) {
  return fmt::format("input_{:06}", index);
}

std::vector<std::string> input_paths_of(const Journal::Fingerprint& print) {
  return values_of(print, input_path_key);
}

InputSettings inputs_to_keep(const Journal::Fingerprint& print) {
  InputSettings inputs{.paths = input_paths_of(print), .reference = entry_of(print, "reference")};
  std::erase(inputs.paths, "-");
  return inputs;
}

std::vector<std::string> input_names_of(const Journal::Fingerprint& print) {
  std::vector<std::string> names = values_of(print, input_name_key);
  if (!names.empty()) return names;
  return input_names(
      {.paths = input_paths_of(print), .paired = value_of(print, "paired") == "true"});
}

std::vector<std::string> input_names_of(const Journal& journal) {
  std::vector<std::string> names = input_names_of(journal.fingerprint());
  const std::vector<InputEntry> entries = journal.inputs();
  names.resize(std::max(names.size(), entries.size()));
  std::ranges::transform(entries, names.begin(), &InputEntry::name);
  return names;
}

std::string shared_settings(const Journal::Fingerprint& print) {
  ByteWriter text;
  for (const Part& part : kParts) {
    if (std::string_view(part.key) == kShardKey) {
      text.varint(shard_of(print).count);
    } else {
      text.text(shared_value(print, part));
    }
  }
  ContentHash hash;
  hash.update(as_bytes(text.bytes()));
  return hash.hex();
}

std::vector<SettingDifference> differing_settings(const Journal::Fingerprint& first,
                                                  const Journal::Fingerprint& second) {
  std::vector<SettingDifference> found;
  for (const Part& part : kParts) {
    std::string a = shared_value(first, part);
    std::string b = shared_value(second, part);
    if (a != b) found.push_back({part.name, std::move(a), std::move(b)});
  }
  return found;
}

std::map<std::string, std::string> settings_of_cut_offs(const Journal::Fingerprint& print) {
  std::map<std::string, std::string> settings;
  for (const Part& part : kParts) {
    if (part.of_cut_offs) settings.emplace(part.name, shared_value(print, part));
  }
  return settings;
}

void require_same_run(const Journal::Fingerprint& journal, const Journal::Fingerprint& now,
                      const std::filesystem::path& path) {
  std::vector<std::string> changed;
  for (const SettingDifference& one : differing_settings(journal, now)) {
    changed.push_back(fmt::format("{} (was {}, is {})", one.name, one.first, one.second));
  }
  if (!changed.empty()) {
    throw Error(ErrorKind::kJournalMismatch, Place{.file = path.string()},
                fmt::format("changed since the run began: {}", fmt::join(changed, "; ")));
  }
  const std::string before = value_of(journal, kVersionKey);
  if (before == value_of(now, kVersionKey)) return;
  log_warning("{}: begun by version {} and resumed by {}, which computes the same scores",
              path.string(), before, value_of(now, kVersionKey));
}

bool is_synthetic(const std::map<std::string, std::string>& models) {
  const auto found = models.find(kSyntheticKey);
  return found != models.end() && found->second == "true";
}

void mark_synthetic(const RunFolder& directory, const std::map<std::string, std::string>& models) {
  if (!is_synthetic(models)) return;
  AtomicFile mark(directory.place(run_files::kSyntheticMark));
  mark.write(
      "Weights of this run are synthetic: seeded random numbers.\n"
      "Its scores mean nothing.\n\n");
  for (const char* name : {"dnabert_s", "esm2", "classifier"}) {
    mark.write(fmt::format("{}: {}\n", name, printable(value_of(models, name))));
  }
  mark.commit();
}

}  // namespace virnucpro

#include "run/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "run/id_table.hpp"
#include "run/run_fingerprint.hpp"
#include "tables/sequence_score.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {
namespace {

constexpr double kNoCall = 2;  // a cut-off above every score

// Returns the parts of a rule on which a SequenceScore depends.
CallRule scoring_part(const CallRule& rule) {
  CallRule part(CallRule::kDefaultMinScore, rule.min_share());
  part.set_viral_ngs(rule.viral_ngs());
  if (rule.is_viral_ngs()) part.use_viral_ngs();
  return part;
}

enum class Origin : std::uint8_t { kVirus, kOthers, kUnknown };

// Collects the scores of the runs' sequences, by bin.
class Collector {
 public:
  Collector(const EvaluateSettings& settings, const Cancel& cancel)
      : settings_(settings), cancel_(cancel), scores_(settings.bins.size()) {
    if (!settings.labels.empty()) labels_.emplace(settings.labels);
    if (!settings.groups.empty()) groups_.emplace(settings.groups);
  }

  Evaluation collect() {
    for (const auto& path : settings_.viruses) read(path, Origin::kVirus);
    for (const auto& path : settings_.others) read(path, Origin::kOthers);
    for (const auto& path : settings_.runs) read(path, Origin::kUnknown);
    if (labels_) labels_->require_all_used();
    if (groups_) groups_->require_all_used();
    if (without_group_ > 0) {
      throw Error(ErrorKind::kInputMalformed, Place{.file = settings_.groups.string()},
                  fmt::format("it has no group for {}, which is not a virus{}",
                              shown_text(first_without_group_), and_more(without_group_ - 1)))
          .advised("Add a line with this id, a tab and its group.");
    }
    if (labels_) found_.labels_hash = labels_->hash();
    if (groups_) found_.groups_hash = groups_->hash();
    require_both();
    found_.with_groups = groups_.has_value();
    found_.confidence = 1 - (1 - kAllConfidence) / static_cast<double>(settings_.bins.size());
    for (std::size_t k = 0; k < settings_.bins.size(); ++k) {
      found_.bins.push_back({.bin = settings_.bins[k],
                             .scores = LabelledScores(std::move(scores_[k]), groups_.has_value())});
    }
    return std::move(found_);
  }

 private:
  void read(const std::filesystem::path& path, Origin origin) {
    const KeptRun run(path, cancel_);
    if (!run.journal().finished()) {
      throw Error(ErrorKind::kUsage, Place{.file = path.string()},
                  "the run in this directory did not finish")
          .advised("Finish it first: virnucpro predict --resume.");
    }
    require_alike(run);
    count_inputs(run);
    EvaluatedRun& entry = found_.runs.emplace_back();
    entry.path = path.string();
    entry.identity = run.identity();
    std::optional<SequenceScore> score;
    walk_sequences(run.journal(),
                   {.rule = found_.rule,
                    .part =
                        [&](const SequencePart&, const std::vector<ChunkScore>& chunks) {
                          if (!score) score.emplace(found_.rule);
                          score->add(chunks);
                        },
                    .end =
                        [&](const SequencePart& last, const SequenceSummary&) {
                          ++entry.sequences;
                          add(last.id, origin, *score);
                          score.reset();
                        }},
                   cancel_);
  }

  // Refuses an input that was read before: its sequences would count twice, and are not
  // independent. Other shards of the same input are accepted, because each holds other sequences.
  void count_inputs(const KeptRun& run) {
    const std::string shard = shard_text(shard_of(run.fingerprint()));
    for (const InputEntry& input : run.journal().inputs()) {
      if (input.failed) ++found_.failed_inputs;
      if (input.failed || input.records == 0) continue;
      const std::string place =
          fmt::format("{} of {}", shown_text(input.name), run.directory().string());
      const auto [known, is_new] = inputs_.try_emplace(input.hash + shard, place);
      if (is_new) continue;
      throw Error(ErrorKind::kUsage, fmt::format("{} has the same contents as {}, so its "
                                                 "sequences would count twice",
                                                 place, known->second))
          .advised("Leave one of them out, so that each input counts once.");
    }
  }

  // Takes the first run's rule and settings. Refuses a later run whose rule or settings differ.
  void require_alike(const KeptRun& run) {
    const auto fail = [&run](const std::string& why) {
      throw Error(ErrorKind::kUsage, Place{.file = run.directory().string()}, why);
    };
    const CallRule rule = scoring_part(settings_.rule.over(rule_of(run.fingerprint())));
    if (found_.runs.empty()) {
      found_.rule = rule;
      found_.synthetic = is_synthetic(run.fingerprint());
      found_.made_for = settings_of_cut_offs(run.fingerprint());
      return;
    }
    if (!(rule == found_.rule)) {
      fail(fmt::format(
          "its calls follow one rule ({}), but those of {} another ({}): name one with --rule",
          text_of(rule), found_.runs.front().path, text_of(found_.rule)));
    }
    for (const auto& [name, value] : settings_of_cut_offs(run.fingerprint())) {
      const std::string& first = found_.made_for[name];
      if (value != first) {
        fail(fmt::format("{} is {} in this run, but {} in {}: all runs need the same value", name,
                         shown_text(value), shown_text(first), found_.runs.front().path));
      }
    }
  }

  void add(const std::string& id, Origin origin, const SequenceScore& score) {
    if (labels_) origin = label_of(id);
    if (origin == Origin::kUnknown) {
      ++found_.unlabelled;
      return;
    }
    const bool is_virus = origin == Origin::kVirus;
    OriginCount& count = is_virus ? found_.viruses : found_.others;
    ++count.sequences;
    const std::uint32_t group = groups_ ? group_of(id, is_virus) : 0;
    const std::optional<double> value = score.value();
    if (!value) {
      ++count.unscored;
      return;
    }
    const auto bin = std::ranges::find_if(
        settings_.bins, [&](const ChunkBin& one) { return one.has(score.chunks_scored()); });
    scores_[static_cast<std::size_t>(bin - settings_.bins.begin())].push_back(
        {.score = *value, .is_virus = is_virus, .group = group});
  }

  Origin label_of(const std::string& id) {
    const std::string_view label = labels_->take(id);
    if (label.empty()) return Origin::kUnknown;
    if (label == "virus") return Origin::kVirus;
    if (label == "others") return Origin::kOthers;
    labels_->fail(id, fmt::format("its label is {}; expected virus or others", shown_text(label)));
  }

  std::uint32_t group_of(const std::string& id, bool is_virus) {
    const std::string name(groups_->take(id));
    if (name.empty() && !is_virus && without_group_++ == 0) first_without_group_ = id;
    return group_numbers_.try_emplace(name, static_cast<std::uint32_t>(group_numbers_.size()))
        .first->second;
  }

  void require_both() const {
    const bool lacks_viruses = found_.viruses.sequences == 0;
    if (!lacks_viruses && found_.others.sequences > 0) return;
    throw Error(ErrorKind::kUsage, fmt::format("no sequence of the runs is labelled {}",
                                               lacks_viruses ? "virus" : "others"))
        .advised("Give runs that have sequences of viruses and of others.");
  }

  const EvaluateSettings& settings_;
  const Cancel& cancel_;
  std::optional<IdTable> labels_;
  std::optional<IdTable> groups_;
  std::unordered_map<std::string, std::uint32_t> group_numbers_;
  std::uint64_t without_group_ = 0;  // number of others without a group
  std::string first_without_group_;
  std::unordered_map<std::string, std::string> inputs_;  // input and run, by hash and shard
  std::vector<std::vector<LabelledScore>> scores_;       // by bin
  Evaluation found_;
};

std::vector<double> usual_cut_offs(const CallRule& rule) {
  if (rule.is_viral_ngs()) return {0, 0.3, 0.6, 0.9};
  return {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};
}

void choose_cut_off(const Evaluation& found, double false_rate, BinEvaluation& bin) {
  if (bin.scores.others() == 0 && bin.scores.viruses() > 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("no cut-off can be chosen for the bin {} (scored chunks of a sequence): "
                    "it has {} viruses, but no other sequences",
                    text_of(bin.bin), grouped(bin.scores.viruses())))
        .advised("Add sequences of this length that are no viruses, or choose wider --bins.");
  }
  // By majority, a chunk that is no virus chunk has the score 0, so a cut-off must be above 0. By
  // viral-ngs, a lower cut-off could make a contig both viral and non-viral.
  const double least = found.rule.is_viral_ngs() ? -found.rule.viral_ngs().min_weighted_delta : 0;
  bin.chosen = bin.scores.smallest(false_rate, found.confidence, least);
}

}  // namespace

Evaluation evaluate(const EvaluateSettings& settings, const Cancel& cancel) {
  Evaluation found = Collector(settings, cancel).collect();
  const std::vector<double> cut_offs =
      settings.cut_offs.empty() ? usual_cut_offs(found.rule) : settings.cut_offs;
  for (BinEvaluation& bin : found.bins) {
    bin.none = bin.scores.at(kNoCall, found.confidence);
    for (const double cut_off : cut_offs) {
      bin.given.push_back(bin.scores.at(cut_off, found.confidence));
    }
    if (settings.false_rate) choose_cut_off(found, *settings.false_rate, bin);
  }
  return found;
}

CutOffs cut_offs_of(const Evaluation& found, double false_rate) {
  CutOffs cut_offs{.rule = std::string(word_of(found.rule.name())),
                   .min_share = found.rule.min_share(),
                   .viral_ngs = found.rule.viral_ngs(),
                   .made_for = found.made_for,
                   .false_rate = false_rate,
                   .confidence = kAllConfidence};
  for (const BinEvaluation& one : found.bins) {
    BinCutOff& bin = cut_offs.bins.emplace_back();
    bin.bin = one.bin;
    if (!one.chosen) continue;
    bin.cut_off = one.chosen->cut_off;
    bin.bound = one.chosen->bound;
  }
  return cut_offs;
}

}  // namespace virnucpro

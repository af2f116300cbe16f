#include "cli/call_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"

namespace virnucpro {
namespace {

constexpr const char* kCallGroup = "Calls";
constexpr const char* kRuleGroup = "The rule viral-ngs (--rule)";
constexpr std::uint64_t kMostChunks = 1'000'000'000;
constexpr const char* kExpected = "a number from 0 to 1";

bool fits(double value) {
  return value >= 0 && value <= 1;
}

std::optional<double> given(std::string_view flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<double> value = parse_number(text);
  if (value && fits(*value)) return value;
  fail_usage(fmt::format("{} {}: expected {}", flag, text, kExpected));
}

std::optional<double> configured(std::string_view key, const Config& config) {
  const std::optional<double> value = config.number(key);
  if (value && !fits(*value)) throw config.wrong_value(key, kExpected);
  return value;
}

std::optional<RuleName> choose_rule_name(const CallOptions& options) {
  if (!options.rollup.empty() && options.rollup != kRollupName) {
    fail_usage(fmt::format("--rollup {}: expected {}", options.rollup, kRollupName));
  }
  const std::string& word = options.rule.empty() ? options.rollup : options.rule;
  if (word.empty()) return std::nullopt;
  const std::optional<RuleName> name = rule_named(word);
  if (!name) fail_usage(fmt::format("--rule {}: expected majority or viral-ngs", word));
  if (options.rollup.empty()) return name;
  if (*name == RuleName::kMajority)
    fail_usage("--rollup viral-ngs and --rule majority exclude each other");
  if (options.rule.empty()) {
    log_warning(
        "--rollup viral-ngs: calls now follow viral-ngs; the new name of this option is --rule");
  }
  return name;
}

// Reads run.min_share or run.threshold, its older name.
std::optional<double> configured_share(const Config& config) {
  const std::optional<double> share = configured("run.min_share", config);
  const std::optional<double> older = configured("run.threshold", config);
  if (share && older) {
    throw config.wrong_value("run.threshold",
                             "no value, because run.min_share (its newer name) is set");
  }
  return share ? share : older;
}

}  // namespace

void add_call_options(Command& command, CallOptions& options, CallDefault from) {
  const bool is_new = from == CallDefault::kNewRun;
  command
      .add_value("--min-score", options.min_score,
                 fmt::format("Least virus score of a virus chunk (default {})",
                             is_new ? "0" : "the run's"),
                 "X", kCallGroup)
      .more = "its score for others is at most its virus score";
  command.add_value(
      "--threshold,--min-share", options.min_share,
      fmt::format("Least share of virus chunks for calling a sequence virus (default {})",
                  is_new ? "0.5" : "the run's"),
      "X", kCallGroup);
  command.add_value("--cutoff", options.cutoff, "Use evaluate's cut-offs instead of the two above",
                    "FILE", kCallGroup);
  const std::string or_else = is_new ? "default" : "default: the run's, else";
  command.add_value(
      "--rule", options.rule,
      fmt::format("How sequences are called (default {}); viral-ngs, for contigs, also writes "
                  "contigs.tsv",
                  is_new ? "majority" : "the run's"),
      "majority|viral-ngs", kCallGroup);
  const std::size_t rare = command.options.size();
  command.add_value("--rollup", options.rollup, "The older name of --rule",
                    std::string(kRollupName), kRuleGroup);
  command.add_value("--min-tier", options.min_tier,
                    "Of the sequences called virus, write those of this confidence or higher "
                    "(default review: all); high and moderate leave out every contig with under "
                    "five scored chunks",
                    "high|moderate|low|review", kRuleGroup);
  const RollupRule fallback;
  for (std::size_t k = 0; k < kRollupNumbers.size(); ++k) {
    const RollupNumber& number = kRollupNumbers[k];
    command.add_value(number.flag, options.numbers[k],
                      fmt::format("{} ({} {})", number.help, or_else, fallback.*number.value), "X",
                      kRuleGroup);
  }
  command.add_value(
      "--min-chunks", options.min_chunks,
      fmt::format(
          "With fewer chunks, high and moderate confidence become low, low becomes review ({} {})",
          or_else, fallback.min_chunks),
      "N", kRuleGroup);
  leave_to_help_all(command, rare);
}

void add_table_options(Command& command, TableOptions& options) {
  const std::size_t rare = command.options.size();
  command.add_value("--sort", options.sort,
                    "Order of contigs.tsv: as in the input, or by id (NODE_2 before NODE_10)",
                    "input|natural", kRuleGroup);
  command.add_flag("--bed", options.bed,
                   "Also write chunks.bed, for IGV: the place of each chunk in its sequence",
                   kCallGroup);
  leave_to_help_all(command, rare);
}

TableChange choose_table_change(const TableOptions& options) {
  TableChange change{.bed = options.bed};
  if (!options.sort.empty()) change.natural_order = options.sort == "natural";
  if (change.natural_order == false && options.sort != "input") {
    fail_usage(fmt::format("--sort {}: expected input or natural", options.sort));
  }
  return change;
}

CallRuleChange choose_call_change(const CallOptions& options) {
  CallRuleChange change{.name = choose_rule_name(options),
                        .min_score = given("--min-score", options.min_score),
                        .min_share = given("--min-share", options.min_share)};
  for (std::size_t k = 0; k < kRollupNumbers.size(); ++k) {
    change.viral_ngs.numbers[k] = given(kRollupNumbers[k].flag, options.numbers[k]);
  }
  if (!options.min_chunks.empty()) {
    change.viral_ngs.min_chunks = count_value("--min-chunks", options.min_chunks, 0, kMostChunks);
  }
  if (!options.cutoff.empty()) change.cut_offs = read_cut_offs(options.cutoff);
  if (options.min_tier.empty()) return change;
  change.min_tier = tier_named(options.min_tier);
  if (!change.min_tier.empty()) return change;
  fail_usage(
      fmt::format("--min-tier {}: expected high, moderate, low or review", options.min_tier));
}

CallRule choose_call_rule(const CallOptions& options, const Config& config,
                          const std::optional<CallRule>& own) {
  const CallRuleChange flags = choose_call_change(options);
  if (own) return flags.over(*own);
  CallRuleChange set{.name = flags.name,
                     .min_score = configured("run.min_score", config),
                     .min_share = configured_share(config)};
  if (flags.name == RuleName::kViralNgs) set.min_share.reset();
  return flags.over(set.over({}));
}

}  // namespace virnucpro

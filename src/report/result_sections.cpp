#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/shown_text.hpp"
#include "base/text.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostInputs = 200;  // rows
constexpr std::size_t kMostMaps = 20;

std::string input_name(const RunFacts& facts, std::uint32_t input) {
  return input < facts.inputs.size() ? shown_text(facts.inputs[input].name) : "";
}

// "high_confidence" as "high"; nothing for a contig without a scored chunk.
Value tier_words(std::string_view tier) {
  constexpr std::string_view kSuffix = "_confidence";
  if (tier.empty()) return {};
  if (tier.ends_with(kSuffix)) tier.remove_suffix(kSuffix.size());
  return std::string(tier);
}

Plot score_plot(const ScoreFacts& scores) {
  Plot plot{.key = "frames_by_score",
            .title = "Virus score of the frames",
            .kind = PlotKind::kBars,
            .x_label = "virus score",
            .y_label = "frames",
            .unit = Measure::kCount};
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  for (std::size_t k = 0; k < ScoreFacts::kScoreBins; ++k) {
    const double from = static_cast<double>(k) / bins;
    plot.bars.push_back({fmt::format("{:.2f}", from),
                         fmt::format("{:.2f} to {:.2f}", from, from + 1 / bins),
                         static_cast<double>(scores.frames_by_score[k])});
  }
  return plot;
}

Plot call_plot(const TableCounts& counts) {
  Plot plot{.key = "calls",
            .title = "Calls",
            .kind = PlotKind::kRows,
            .y_label = "sequences",
            .unit = Measure::kCount};
  const std::uint64_t others =
      counts.sequences - counts.virus_sequences - counts.unscored_sequences;
  plot.bars = {{"virus", "virus", static_cast<double>(counts.virus_sequences)},
               {"others", "others", static_cast<double>(others)},
               {"unscored", "unscored", static_cast<double>(counts.unscored_sequences)}};
  return plot;
}

Plot length_plot(const ScoreFacts& scores) {
  Plot plot{.key = "sequences_by_length",
            .title = "Length of the sequences",
            .kind = PlotKind::kBars,
            .x_label = "bases, from",
            .y_label = "sequences",
            .unit = Measure::kCount};
  for (const LengthBin& bin : scores.lengths) {
    plot.bars.push_back({axis_text(static_cast<double>(bin.from), Measure::kCount),
                         fmt::format("{} to {} bases", grouped(bin.from), grouped(bin.below - 1)),
                         static_cast<double>(bin.sequences)});
  }
  return plot;
}

Plot frame_plot(const ScoreFacts& scores) {
  Plot plot{.key = "chunks_by_frames",
            .title = "Stop-free frames of a chunk",
            .kind = PlotKind::kBars,
            .x_label = "frames",
            .y_label = "chunks",
            .unit = Measure::kCount};
  for (std::size_t k = 0; k <= ScoreFacts::kMostFrames; ++k) {
    plot.bars.push_back({fmt::format("{}", k), fmt::format("{} frames", k),
                         static_cast<double>(scores.chunks_by_frames[k])});
  }
  return plot;
}

Table input_table(const RunFacts& facts) {
  Table table{.key = "inputs", .caption = "Inputs"};
  table.columns = {{"name", "Input"},
                   {"sequences", "Sequences", Measure::kCount},
                   {"bytes", "Bytes of text", Measure::kCount},
                   {"hash", "XXH3-128"},
                   {"status", "State", Measure::kStatus}};
  for (const InputEntry& input : facts.inputs) {
    if (table.rows.size() == kMostInputs) break;
    table.rows.push_back({shown_text(input.name), input.records, input.bytes,
                          shown_text(input.hash), input.failed ? "failed" : "read"});
  }
  return table;
}

Table failed_table(const RunFacts& facts) {
  Table table{.key = "failed_inputs", .caption = "Inputs that failed"};
  table.columns = {{"name", "Input"}, {"error", "Error"}, {"message", "What happened"}};
  for (const InputEntry& input : facts.inputs) {
    if (!input.failed || table.rows.size() == kMostInputs) continue;
    table.rows.push_back(
        {shown_text(input.name), shown_text(input.error), shown_text(input.message, 500)});
  }
  return table;
}

Table tier_table(const ScoreFacts& scores) {
  Table table{.key = "tiers", .caption = "Calls of the roll-up (contigs.tsv)"};
  table.columns = {{"call", "Call"},
                   {"tier", "Confidence"},
                   {"sequences", "Sequences", Measure::kCount},
                   {"bases", "Bases", Measure::kCount}};
  for (const TierCount& count : scores.tiers) {
    table.rows.push_back(
        {std::string(count.call), tier_words(count.tier), count.sequences, count.bases});
  }
  return table;
}

Table reason_table(const TableCounts& counts) {
  Table table{.key = "reasons", .caption = "Why sequences have no score"};
  table.columns = {{"reason", "Reason"}, {"sequences", "Sequences", Measure::kCount}};
  for (std::size_t k = 0; k < kUnscoredReasons; ++k) {
    if (counts.unscored_by_reason[k] == 0) continue;
    table.rows.push_back(
        {std::string(words_of(static_cast<Unscored>(k))), counts.unscored_by_reason[k]});
  }
  return table;
}

std::vector<Column> hit_columns(bool has_tiers) {
  std::vector<Column> columns{{"sequence_id", "Sequence"},
                              {"call", "Call", Measure::kStatus},
                              {"evidence", "Evidence", Measure::kCount},
                              {"length", "Bases", Measure::kCount},
                              {"bases_scored", "Bases scored", Measure::kCount},
                              {"virus_chunks", "Virus chunks", Measure::kCount},
                              {"chunks_scored", "Scored chunks", Measure::kCount},
                              {"virus_share", "Virus share", Measure::kShare},
                              {"max_virus_score", "Highest score", Measure::kScore},
                              {"mean_virus_score", "Mean score", Measure::kScore}};
  if (has_tiers) {
    columns.insert(columns.end(), {{"rollup_call", "Roll-up"}, {"tier", "Confidence"}});
  }
  columns.push_back({"input", "Input"});
  return columns;
}

Table hit_table(const RunFacts& facts) {
  Table table{.key = "sequences", .caption = "Sequences with virus chunks, most evidence first"};
  table.can_be_filtered = true;
  table.columns = hit_columns(facts.rollup.has_value());
  for (const SequenceHit& hit : facts.scores.top_hits) {
    std::vector<Value> row{hit.id,
                           hit.virus ? "virus" : "others",
                           std::round(hit.evidence),
                           hit.length,
                           hit.bases_scored,
                           hit.virus_chunks,
                           hit.chunks_scored,
                           hit.virus_share,
                           static_cast<double>(hit.max_virus_score),
                           static_cast<double>(hit.mean_virus_score)};
    if (facts.rollup) {
      row.insert(row.end(), {std::string(hit.rolled_call), tier_words(hit.tier)});
    }
    row.emplace_back(input_name(facts, hit.input));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot contig_plot(const SequenceHit& hit, std::size_t number) {
  Plot plot{.key = fmt::format("contig_{}", number), .title = hit.id, .kind = PlotKind::kContig};
  plot.y_label =
      fmt::format("{}: {} of {} scored chunks are virus, {} of {} bases scored",
                  hit.virus ? "virus" : "others", grouped(hit.virus_chunks),
                  grouped(hit.chunks_scored), grouped(hit.bases_scored), grouped(hit.length));
  plot.stretches = hit.map;
  return plot;
}

Value share_value(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? Value{} : Value{static_cast<double>(part) / static_cast<double>(whole)};
}

// "12 of 300 sequences (4 %) are called virus; 20 have no score."
std::string found_words(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  if (counts.sequences == 0) return "There are no sequences.";
  const std::string unscored =
      counts.unscored_sequences == 0
          ? std::string()
          : fmt::format("; {} without a score", grouped(counts.unscored_sequences));
  return fmt::format(
      "Called virus: {} of {} sequences ({}){}. Scores are not probabilities.",
      grouped(counts.virus_sequences), grouped(counts.sequences),
      value_text(share_value(counts.virus_sequences, counts.sequences), Measure::kShare), unscored);
}

}  // namespace

Section input_section(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  Section section{.key = "inputs", .title = "What went in"};
  section.fields = {
      {"sequences", "Sequences", scores.counts.sequences, Measure::kCount},
      {"bases", "Bases", scores.bases, Measure::kCount},
      {"chunks", "Chunks", scores.chunks, Measure::kCount},
      {"chunks_scored", "Chunks scored", scores.counts.chunks_scored, Measure::kCount}};
  if (scores.counts.sequences > 0) section.plots = {length_plot(scores), frame_plot(scores)};
  section.tables = {input_table(facts)};
  if (Table failed = failed_table(facts); !failed.rows.empty()) {
    section.tables.push_back(std::move(failed));
  }
  if (facts.inputs.size() > kMostInputs) {
    section.note = fmt::format("The first {} of {} inputs have a row.", kMostInputs,
                               grouped(facts.inputs.size()));
  }
  return section;
}

Section score_section(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  Section section{.key = "scores", .title = "What was found"};
  section.note = found_words(facts);
  section.plots = {call_plot(counts), score_plot(facts.scores)};
  section.fields = {
      {"min_score", "Virus chunk: virus score not the smaller one, and at least",
       facts.rule.min_score()},
      {"min_share", "Virus sequence: share of virus chunks at least", facts.rule.min_share()},
      {"frames_scored", "Frames scored", counts.frames, Measure::kCount},
      {"failed_frames", "Frames that failed", counts.failed_frames, Measure::kCount}};
  if (facts.rollup) section.tables = {tier_table(facts.scores)};
  return section;
}

Section hit_section(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  Section section{.key = "top_hits", .title = "Top hits"};
  if (scores.hits == 0) {
    section.note = "No sequence has a chunk that counts as virus.";
    return section;
  }
  section.note = fmt::format(
      "{} with a virus chunk{}. Those called virus come first, then those with more evidence: the "
      "bases in virus chunks, each times its chunk's virus score.",
      scores.hits == 1 ? "One sequence" : grouped(scores.hits) + " sequences",
      scores.hits > scores.top_hits.size()
          ? fmt::format("; here are {}, sequences.tsv has all", grouped(scores.top_hits.size()))
          : std::string());
  if (facts.rollup) {
    section.note +=
        " Call and roll-up are two rules: the call is that of sequences.tsv and of the counts, the "
        "roll-up that of contigs.tsv and label-reads. Where they differ, believe a contig's "
        "roll-up.";
  }
  section.tables = {hit_table(facts)};
  return section;
}

std::optional<Section> contig_section(const RunFacts& facts) {
  Section section{.key = "contigs", .title = "Where on the contigs"};
  for (const SequenceHit& hit : facts.scores.top_hits) {
    if (hit.map.empty()) continue;
    if (section.plots.size() == kMostMaps) break;
    section.plots.push_back(contig_plot(hit, section.plots.size() + 1));
  }
  if (section.plots.empty()) return std::nullopt;
  section.note =
      "The top hits of several chunks, at most 20. Height and colour are the virus score: the line "
      "is 0.5, the top is 1. Striped: unscored. Chunks of long contigs are averaged; chunks.bed "
      "(--bed) has each.";
  return section;
}

Section unscored_section(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  const TableCounts& counts = scores.counts;
  Section section{.key = "unscored", .title = "What has no score"};
  section.note =
      "A stretch in which every frame has a stop codon cannot be scored. That speaks neither for a "
      "virus nor against one.";
  section.fields = {
      {"unscored_sequences", "Sequences without a score", counts.unscored_sequences,
       Measure::kCount},
      {"bases_scored", "Bases scored", scores.bases_scored, Measure::kCount},
      {"bases_scored_share", "Share of bases scored",
       share_value(scores.bases_scored, scores.bases), Measure::kShare},
      {"unscored_stretches", "Unscored stretches of the others", scores.unscored_stretches,
       Measure::kCount},
      {"unscored_bases", "Bases in these stretches", scores.unscored_bases, Measure::kCount},
      {"longest_unscored", "Longest of them", scores.longest_unscored, Measure::kCount}};
  if (counts.unscored_sequences > 0) section.tables = {reason_table(counts)};
  return section;
}

}  // namespace virnucpro

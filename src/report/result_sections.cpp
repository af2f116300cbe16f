#include <fmt/format.h>

#include "base/shown_text.hpp"
#include "base/text.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostInputs = 200;  // rows

std::string input_name(const RunFacts& facts, std::uint32_t input) {
  return input < facts.inputs.size() ? shown_text(facts.inputs[input].name) : "";
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

}  // namespace

Section input_section(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  Section section{.key = "inputs", .title = "What went in"};
  section.fields = {
      {"sequences", "Sequences", scores.counts.sequences, Measure::kCount},
      {"bases", "Bases", scores.bases, Measure::kCount},
      {"chunks", "Chunks", scores.chunks, Measure::kCount},
      {"chunks_scored", "Chunks scored", scores.counts.chunks_scored, Measure::kCount}};
  section.plots = {length_plot(scores), frame_plot(scores)};
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
  Section section{.key = "scores", .title = "Scores and calls"};
  section.fields = {{"virus_sequences", "Virus", counts.virus_sequences, Measure::kCount},
                    {"unscored_sequences", "Unscored", counts.unscored_sequences, Measure::kCount},
                    {"frames_scored", "Frames scored", counts.frames, Measure::kCount},
                    {"failed_frames", "Frames that failed", counts.failed_frames, Measure::kCount},
                    {"min_score", "Least virus score of a virus chunk", facts.rule.min_score()},
                    {"min_share", "Least share of virus chunks", facts.rule.min_share()}};
  section.plots = {call_plot(counts), score_plot(facts.scores)};
  return section;
}

Section hit_section(const RunFacts& facts) {
  Section section{.key = "top_hits", .title = "Top hits"};
  section.note = fmt::format(
      "The largest shares of virus chunks, then the highest virus scores, {} at most; "
      "sequences.tsv "
      "has all.",
      ScoreFacts::kTopHits);
  Table table{.key = "sequences", .caption = "Top hits"};
  table.can_be_filtered = true;
  table.columns = {{"sequence_id", "Sequence"},
                   {"input", "Input"},
                   {"length", "Length", Measure::kCount},
                   {"virus_chunks", "Virus chunks", Measure::kCount},
                   {"chunks_scored", "Chunks scored", Measure::kCount},
                   {"virus_share", "Virus share", Measure::kShare},
                   {"max_virus_score", "Highest score", Measure::kScore},
                   {"mean_virus_score", "Mean score", Measure::kScore},
                   {"call", "Call", Measure::kStatus}};
  for (const SequenceHit& hit : facts.scores.top_hits) {
    table.rows.push_back(
        {hit.id, input_name(facts, hit.input), hit.length, hit.virus_chunks, hit.chunks_scored,
         hit.virus_share, static_cast<double>(hit.max_virus_score),
         static_cast<double>(hit.mean_virus_score), hit.virus ? "virus" : "others"});
  }
  section.tables = {std::move(table)};
  return section;
}

}  // namespace virnucpro

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostInputs = 200;  // the most rows of a table of inputs

std::string input_name(const RunFacts& facts, std::uint32_t input) {
  return input < facts.inputs.size() ? shown_text(facts.inputs[input].name) : "";
}

// Returns the tier for a table; empty for a contig without a scored chunk.
Value tier_words(std::string_view tier) {
  return tier.empty() ? Value{} : Value{std::string(short_tier(tier))};
}

// Plots counts by virus score, in bins.
Plot histogram(const std::array<std::uint64_t, ScoreFacts::kScoreBins>& counts, std::string key,
               std::string title, std::string what) {
  Plot plot{.key = std::move(key),
            .title = std::move(title),
            .kind = PlotKind::kBars,
            .x_label = "virus score",
            .y_label = std::move(what),
            .unit = Measure::kCount};
  plot.end_tick = "1";
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  for (std::size_t k = 0; k < ScoreFacts::kScoreBins; ++k) {
    const double from = static_cast<double>(k) / bins;
    plot.bars.push_back({fmt::format("{:.2f}", from),
                         fmt::format("{:.2f} to {:.2f}", from, from + 1 / bins),
                         static_cast<double>(counts[k])});
  }
  return plot;
}

Plot score_plot(const ScoreFacts& scores) {
  return histogram(scores.frames_by_score, "frames_by_score", "Virus score of the frames",
                   "frames");
}

// Returns the least virus score with which a read of one chunk is called virus; empty if no read is
// called virus. Assumes that the two scores of a read sum to 1.
std::optional<double> cut_off_of(const CallRule& rule) {
  std::optional<double> cut_off =
      rule.is_viral_ngs() ? rule.viral_ngs().min_weighted_delta : rule.min_score();
  if (rule.cut_offs()) cut_off = rule.cut_offs()->of(1).cut_off;
  if (!cut_off) return cut_off;
  return rule.is_viral_ngs() ? (1 + *cut_off) / 2 : std::max(0.5, *cut_off);
}

Plot read_plot(const RunFacts& facts) {
  Plot plot = histogram(facts.scores.sequences_by_score, "sequences_by_score",
                        "Highest virus score of each sequence", "sequences");
  plot.cut_off = cut_off_of(facts.rule);
  return plot;
}

Plot call_plot(const TableCounts& counts) {
  Plot plot{.key = "calls",
            .title = "Calls",
            .kind = PlotKind::kRows,
            .y_label = "sequences",
            .unit = Measure::kCount};
  plot.bars = {{"virus", "virus", static_cast<double>(counts.virus_sequences)},
               {"others", "others", static_cast<double>(counts.others())},
               {"ambiguous", "ambiguous", static_cast<double>(counts.ambiguous_sequences)},
               {"unscored", "unscored", static_cast<double>(counts.unscored_sequences)}};
  return plot;
}

Plot length_plot(const ScoreFacts& scores) {
  Plot plot{.key = "sequences_by_length",
            .title = "Length of the sequences",
            .kind = PlotKind::kBars,
            .x_label = "shortest length in the bar (bases)",
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
            .x_label = "stop-free frames",
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
                   {"bytes", "Bytes (decompressed)", Measure::kCount},
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
  Table table{.key = "tiers", .caption = "Calls and their confidence (contigs.tsv)"};
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
  std::vector<Column> columns{{"chunks_scored", "Scored chunks", Measure::kCount},
                              {"sequence_id", "Sequence"},
                              {"call", "Call", Measure::kStatus},
                              {"evidence", "Evidence", Measure::kCount},
                              {"length", "Bases", Measure::kCount},
                              {"bases_scored", "Bases scored", Measure::kCount},
                              {"virus_chunks", "Virus chunks", Measure::kCount},
                              {"virus_share", "Virus share", Measure::kShare},
                              {"max_virus_score", "Highest score", Measure::kScore},
                              {"mean_virus_score", "Mean score", Measure::kScore}};
  if (has_tiers) columns.push_back({"tier", "Confidence"});
  columns.push_back({"input", "Input"});
  return columns;
}

Table hit_table(const RunFacts& facts) {
  Table table{.key = "sequences", .caption = "Sequences called virus, or with virus chunks"};
  table.can_be_filtered = true;
  table.columns = hit_columns(facts.rule.is_viral_ngs());
  for (const SequenceHit& hit : facts.scores.top_hits) {
    std::vector<Value> row{hit.chunks_scored,
                           hit.id,
                           std::string(word_of(hit.call)),
                           std::round(hit.evidence),
                           hit.length,
                           hit.bases_scored,
                           hit.virus_chunks,
                           hit.virus_share,
                           static_cast<double>(hit.max_virus_score),
                           static_cast<double>(hit.mean_virus_score)};
    if (facts.rule.is_viral_ngs()) row.push_back(tier_words(hit.tier));
    row.emplace_back(input_name(facts, hit.input));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot contig_plot(const SequenceHit& hit, const CallRule& rule, std::size_t number) {
  Plot plot{.key = fmt::format("contig_{}", number), .title = hit.id, .kind = PlotKind::kContig};
  plot.y_label =
      fmt::format("{}: {} of {} scored chunks are virus, {} of {} bases scored", word_of(hit.call),
                  grouped(hit.virus_chunks), grouped(hit.chunks_scored), grouped(hit.bases_scored),
                  grouped(hit.length));
  plot.cut_off = std::max(0.5, rule.min_score());  // the virus score from which a chunk is virus
  plot.stretches = hit.map;
  return plot;
}

std::string found_words(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  if (counts.sequences == 0) return "There are no sequences.";
  const auto further = [](std::uint64_t count, const char* what) {
    return count == 0 ? std::string() : fmt::format("; {} {}", grouped(count), what);
  };
  const std::string false_calls = counts.false_calls(facts.rule);
  return fmt::format(
      "Called virus: {} of {} sequences ({}){}{}. {}Scores are not probabilities.",
      grouped(counts.virus_sequences), grouped(counts.sequences),
      value_text(share_value(counts.virus_sequences, counts.sequences), Measure::kShare),
      further(counts.ambiguous_sequences, "ambiguous"),
      further(counts.unscored_sequences, "without a score"),
      false_calls.empty() ? "" : fmt::format("O{}. ", false_calls.substr(1)));
}

Field threshold_field(const CallRule& rule) {
  if (rule.cut_offs()) {
    return {"cut_offs",
            "A virus sequence reaches this file's cut-off for its number of scored chunks",
            rule.cut_offs()->file};
  }
  if (rule.is_viral_ngs()) {
    return {"min_weighted_delta", "A virus sequence has a weighted delta above",
            rule.viral_ngs().min_weighted_delta};
  }
  return {"min_share", "Lowest share of virus chunks in a virus sequence", rule.min_share()};
}

// Returns a table of the bins: cut-off, bound, and the number of scored sequences.
Table cut_off_table(const CutOffs& cut_offs, const std::vector<std::uint64_t>& scored) {
  Table table{
      .key = "cut_offs",
      .caption = fmt::format("Cut-offs of the file {} (hash {})", cut_offs.file, cut_offs.hash)};
  table.columns = {
      {"scored_chunks", "Scored chunks"},
      {"cut_off", "Cut-off", Measure::kExact, "none: never called virus"},
      {"bound", "Upper bound of the share of others called virus", Measure::kShare, "–"},
      {"sequences", "Sequences scored", Measure::kCount}};
  for (std::size_t k = 0; k < cut_offs.bins.size(); ++k) {
    const BinCutOff& bin = cut_offs.bins[k];
    table.rows.push_back({text_of(bin.bin), optional_value(bin.cut_off),
                          bin.cut_off ? Value{bin.bound} : Value{},
                          k < scored.size() ? scored[k] : 0});
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
  if (scores.counts.sequences > 0) section.plots = {length_plot(scores), frame_plot(scores)};
  section.tables = {input_table(facts)};
  if (Table failed = failed_table(facts); !failed.rows.empty()) {
    section.tables.push_back(std::move(failed));
  }
  if (facts.inputs.size() > kMostInputs) {
    section.note = fmt::format("The table has only the first {} of {} inputs.", kMostInputs,
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
      {"rule", "Rule", std::string(word_of(facts.rule.name()))},
      {"min_score",
       "Lowest virus score of a virus chunk; its score for others is at most its virus score",
       facts.rule.min_score()},
      threshold_field(facts.rule),
      {"frames_scored", "Frames scored", counts.frames, Measure::kCount},
      {"failed_frames", "Frames that failed", counts.failed_frames, Measure::kCount}};
  if (facts.rule.is_viral_ngs()) section.tables = {tier_table(facts.scores)};
  if (const auto& cut_offs = facts.rule.cut_offs()) {
    section.tables.push_back(cut_off_table(*cut_offs, counts.scored_by_bin));
  }
  return section;
}

// Returns a sentence that says which sequences are listed; empty if all are listed.
std::string least_tier_text(const RunFacts& facts) {
  const std::string_view tier = facts.rule.min_tier();
  if (!facts.rule.is_viral_ngs() || tier == kReviewTier) return {};
  return fmt::format(
      " {} sequences are called virus. Because of --min-tier, only those of confidence {} or "
      "higher are listed here and written by --virus-fasta and --virus-fastq. The tiers high and "
      "moderate leave out every contig with fewer than five scored chunks.",
      grouped(facts.scores.counts.virus_sequences), short_tier(tier));
}

std::string hits_text(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  if (scores.hits == 0)
    return "No sequence is listed, because none is called virus or has a virus chunk.";
  return fmt::format(
      "{} a virus chunk{}. Sequences called virus come first. Among equal calls, more evidence "
      "comes first: {}.",
      scores.hits == 1 ? "One sequence is called virus or has"
                       : grouped(scores.hits) + " sequences are called virus or have",
      scores.hits > scores.top_hits.size()
          ? fmt::format("; the table has {}, sequences.tsv has all",
                        grouped(scores.top_hits.size()))
          : std::string(),
      facts.rule.is_viral_ngs()
          ? "a higher confidence, then a larger product of scored bases and weighted delta"
          : "the sum over its virus chunks of (virus score − other score) × bases");
}

Section hit_section(const RunFacts& facts) {
  Section section{.key = "top_hits", .title = "Top hits"};
  const std::string least_tier = least_tier_text(facts);
  if (facts.scores.counts.is_of_reads()) {
    section.title = "Scores of the reads";
    const std::optional<double> cut_off = cut_off_of(facts.rule);
    section.note =
        cut_off ? fmt::format(
                      "Nearly all sequences have one chunk. Such a sequence is called virus if its "
                      "score is about {:g} or higher (the dashed line). sequences.tsv has every "
                      "sequence.",
                      *cut_off)
                : "Nearly all sequences have one chunk. The file of cut-offs has none for one "
                  "chunk, so these sequences are never called virus.";
    section.plots = {read_plot(facts)};
    return section;
  }
  if (facts.scores.hits > 0) section.tables = {hit_table(facts)};
  if (facts.scores.hits > 0 || least_tier.empty()) section.note = hits_text(facts);
  section.note += least_tier;
  return section;
}

std::optional<Section> contig_section(const RunFacts& facts) {
  Section section{.key = "contigs", .title = "Scores along the contigs"};
  for (const SequenceHit& hit : facts.scores.top_hits) {
    if (hit.map.empty()) continue;
    if (section.plots.size() == kMostMaps) break;
    section.plots.push_back(contig_plot(hit, facts.rule, section.plots.size() + 1));
  }
  if (section.plots.empty()) return std::nullopt;
  section.note =
      "These are the top hits with several chunks, at most 20 of them. Height and colour show the "
      "virus score from 0 to 1; the dashed line is the cut-off of a chunk. Striped parts are "
      "unscored. Neighbouring chunks of long contigs are averaged; chunks.bed (--bed) has every "
      "chunk.";
  return section;
}

Section unscored_section(const RunFacts& facts) {
  const ScoreFacts& scores = facts.scores;
  const TableCounts& counts = scores.counts;
  Section section{.key = "unscored", .title = "What has no score"};
  section.note =
      "A stretch in which every frame has a stop codon cannot be scored. It may be viral or "
      "not.";
  section.fields = {
      {"unscored_sequences", "Sequences without a score", counts.unscored_sequences,
       Measure::kCount},
      {"bases_scored", "Bases scored", scores.bases_scored, Measure::kCount},
      {"bases_scored_share", "Share of bases scored",
       share_value(scores.bases_scored, scores.bases), Measure::kShare},
      {"unscored_stretches", "Unscored stretches in scored sequences", scores.unscored_stretches,
       Measure::kCount},
      {"unscored_bases", "Bases in unscored stretches", scores.unscored_bases, Measure::kCount},
      {"longest_unscored", "Longest unscored stretch", scores.longest_unscored, Measure::kCount}};
  if (counts.unscored_sequences > 0) section.tables = {reason_table(counts)};
  return section;
}

}  // namespace virnucpro

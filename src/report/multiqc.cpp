#include "report/multiqc.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/json_writer.hpp"

namespace virnucpro {
namespace {

// MultiQC puts names into its page as they are, takes a row that begins with # for a comment, and
// offers its tables to spreadsheets, which compute what begins like a formula.
std::string sample_of(const RunFacts& facts) {
  constexpr std::string_view kMarkup = "<>&\"'`\\";
  constexpr std::string_view kNotFirst = "#=+-@ ";
  std::string name = facts.stem.empty() ? facts.name : facts.stem;
  for (char& letter : name) {
    const bool is_first = &letter == name.data();
    if (kMarkup.find(letter) != std::string_view::npos ||
        (is_first && kNotFirst.find(letter) != std::string_view::npos)) {
      letter = '_';
    }
  }
  return name;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Json header(const char* name, const char* title, const char* description, const char* format) {
  return {{name, {{"title", title}, {"description", description}, {"min", 0}, {"format", format}}}};
}

std::vector<Json> headers() {
  return {
      header("virnucpro_sequences", "Sequences", "Sequences looked at by virnucpro", "{:,.0f}"),
      header("virnucpro_virus", "Virus", "Sequences called virus", "{:,.0f}"),
      header("virnucpro_virus_percent", "% virus", "Share of sequences called virus", "{:,.2f}"),
      header("virnucpro_unscored", "Unscored", "Sequences without a call", "{:,.0f}"),
      header("virnucpro_rate", "Sequences/s", "Sequences a second", "{:,.1f}")};
}

}  // namespace

std::string multiqc_general(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  Json row{{"virnucpro_sequences", counts.sequences},
           {"virnucpro_virus", counts.virus_sequences},
           {"virnucpro_virus_percent", percent(counts.virus_sequences, counts.sequences)},
           {"virnucpro_unscored", counts.unscored_sequences}};
  const auto& rate = facts.telemetry.throughput.sequences_per_second;
  if (rate) row["virnucpro_rate"] = *rate;
  const Json json{{"id", "virnucpro"},
                  {"plot_type", "generalstats"},
                  {"pconfig", headers()},
                  {"data", {{sample_of(facts), std::move(row)}}}};
  return json.dump(1) + "\n";
}

std::string multiqc_scores(const RunFacts& facts) {
  std::string text =
      "# id: virnucpro_scores\n"
      "# section_name: 'virnucpro: virus scores'\n"
      "# description: Stop-free frames by their virus score, in twentieths.\n"
      "# file_format: tsv\n"
      "# plot_type: linegraph\n"
      "# pconfig:\n"
      "#     id: virnucpro_scores_plot\n"
      "#     title: 'virnucpro: virus scores'\n"
      "#     xlab: virus score\n"
      "#     ylab: frames\n";  // the next row starts with an empty cell, so it is no sample
  std::string row = sample_of(facts);
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  for (std::size_t k = 0; k < ScoreFacts::kScoreBins; ++k) {
    text += fmt::format("\t{:.3f}", (static_cast<double>(k) + 0.5) / bins);
    row += fmt::format("\t{}", facts.scores.frames_by_score[k]);
  }
  return text + "\n" + row + "\n";
}

}  // namespace virnucpro

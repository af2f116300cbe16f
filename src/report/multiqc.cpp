#include "report/multiqc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/version.hpp"
#include "report/page.hpp"

namespace virnucpro {
namespace {

constexpr const char* kSection = "virnucpro";
constexpr const char* kAbout = "tells viral from other sequences.";

// Returns the sample's name in a safe form. MultiQC does not escape names, and reads a row that
// begins with # as a comment. A spreadsheet computes a text that begins like a formula.
std::string sample_of(const RunFacts& facts) {
  constexpr std::string_view kMarkup = "<>&\"'`\\";
  constexpr std::string_view kNotFirst = "# ";
  std::string name = without_formula(facts.sample.empty() ? facts.name : facts.sample);
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

Json column(const char* name, const char* title, const char* description, Json more) {
  Json settings{{"title", title}, {"description", description}};
  settings.update(more);
  return {{name, std::move(settings)}};
}

Json number_column(const char* name, const char* title, const char* description,
                   const char* format) {
  return column(name, title, description, {{"min", 0}, {"format", format}});
}

Json percent_column(const char* name, const char* title, const char* description) {
  return column(name, title, description,
                {{"min", 0}, {"max", 100}, {"suffix", "%"}, {"format", "{:,.2f}"}});
}

std::vector<Json> columns() {
  return {
      number_column("virnucpro_sequences", "Sequences", "Sequences that virnucpro read", "{:,.0f}"),
      number_column("virnucpro_virus", "Virus", "Sequences called virus", "{:,.0f}"),
      percent_column("virnucpro_virus_percent", "% virus", "Share of sequences called virus"),
      number_column("virnucpro_ambiguous", "Ambiguous", "Sequences that viral-ngs calls ambiguous",
                    "{:,.0f}"),
      percent_column("virnucpro_unscored_percent", "% unscored",
                     "Share of sequences without a score, for example because every frame has a "
                     "stop codon"),
      number_column("virnucpro_rate", "Sequences/s", "Sequences a second", "{:,.1f}"),
      column("virnucpro_remarks", "Remarks", "What to know before using the calls",
             {{"scale", false}})};
}

// Returns the remarks as a short text without markup, for a cell of MultiQC's table.
std::string remarks_of(const RunFacts& facts) {
  std::vector<std::string> remarks;
  if (facts.synthetic) remarks.emplace_back("synthetic weights: the calls mean nothing");
  if (!facts.finished) remarks.emplace_back("the run did not finish");
  const auto failed =
      std::ranges::count_if(facts.inputs, [](const InputEntry& input) { return input.failed; });
  if (failed > 0)
    remarks.push_back(fmt::format("{} of {} inputs failed", failed, facts.inputs.size()));
  if (facts.scores.counts.failed_frames > 0) {
    remarks.push_back(fmt::format("{} frames failed", facts.scores.counts.failed_frames));
  }
  return fmt::format("{}", fmt::join(remarks, "; "));
}

}  // namespace

std::string multiqc_general(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  Json row{{"virnucpro_sequences", counts.sequences},
           {"virnucpro_virus", counts.virus_sequences},
           {"virnucpro_virus_percent", percent(counts.virus_sequences, counts.sequences)},
           {"virnucpro_ambiguous", counts.ambiguous_sequences},
           {"virnucpro_unscored_percent", percent(counts.unscored_sequences, counts.sequences)}};
  const auto& rate = facts.telemetry.throughput.sequences_per_second;
  if (rate) row["virnucpro_rate"] = *rate;
  if (const std::string remarks = remarks_of(facts); !remarks.empty()) {
    row["virnucpro_remarks"] = remarks;
  }
  const Json json{{"id", "virnucpro_general"},
                  {"namespace", "virnucpro"},
                  {"plot_type", "generalstats"},
                  {"pconfig", columns()},
                  {"data", {{sample_of(facts), std::move(row)}}}};
  return json.dump(1) + "\n";
}

std::string multiqc_calls(const RunFacts& facts) {
  const TableCounts& counts = facts.scores.counts;
  const Json json{
      {"id", "virnucpro_calls"},
      {"parent_id", kSection},
      {"parent_name", kSection},
      {"parent_description", kAbout},
      {"section_name", "Calls"},
      {"description",
       "Sequences by call. Unscored: no score, for example because every frame has a stop codon."},
      {"plot_type", "bargraph"},
      {"pconfig",
       {{"id", "virnucpro_calls_plot"}, {"title", "virnucpro: calls"}, {"ylab", "sequences"}}},
      {"data",
       {{sample_of(facts),
         {{"virus", counts.virus_sequences},
          {"others", counts.others()},
          {"ambiguous", counts.ambiguous_sequences},
          {"unscored", counts.unscored_sequences}}}}}};
  return json.dump(1) + "\n";
}

std::string multiqc_versions(const RunFacts& facts) {
  const auto found = facts.fingerprint.find("program_version");
  const std::string version =
      found == facts.fingerprint.end() ? std::string(program_version()) : found->second;
  return fmt::format("virnucpro: {}\n", json_text(std::string_view(version)));
}

std::string multiqc_scores(const RunFacts& facts) {
  std::string text =
      "# id: virnucpro_scores\n"
      "# parent_id: virnucpro\n"
      "# parent_name: virnucpro\n"
      "# section_name: 'Virus scores'\n"
      "# description: Stop-free frames by virus score, in bins of 0.05.\n"
      "# file_format: tsv\n"
      "# plot_type: linegraph\n"
      "# pconfig:\n"
      "#     id: virnucpro_scores_plot\n"
      "#     title: 'virnucpro: virus scores'\n"
      "#     xlab: virus score\n"
      "#     ylab: frames\n";  // the next row is the header; its first cell is empty
  std::string row = sample_of(facts);
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  for (std::size_t k = 0; k < ScoreFacts::kScoreBins; ++k) {
    text += fmt::format("\t{:.3f}", (static_cast<double>(k) + 0.5) / bins);
    row += fmt::format("\t{}", facts.scores.frames_by_score[k]);
  }
  return text + "\n" + row + "\n";
}

}  // namespace virnucpro

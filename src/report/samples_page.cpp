#include "report/samples_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "base/version.hpp"
#include "report/sample_controls.hpp"

namespace virnucpro {
namespace {

using Samples = std::vector<SampleFacts>;

constexpr std::size_t kMostBars = 30;
constexpr std::size_t kControlColour = 3;  // index of a bar's colour
constexpr std::size_t kMostTold = 5;       // the most names in a warning

// A setting's name, for the notes of a row in which the setting does not have its usual value.
struct SettingWords {
  const char* name;
  bool says_value;  // the note has the value, too; false for hashes
};
constexpr std::array<SettingWords, kSampleSettings> kSettingWords{{{"DNABERT-S model", false},
                                                                   {"ESM-2 model", false},
                                                                   {"classifier", false},
                                                                   {"chunk length", true},
                                                                   {"--min-length", true},
                                                                   {"rule of calls", true}}};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double virus_share(const SampleFacts& sample) {
  return share(sample.counts.virus_sequences, sample.counts.sequences);
}

double unscored_share(const SampleFacts& sample) {
  return share(sample.counts.unscored_sequences, sample.counts.sequences);
}

// Returns the most frequent value; among equally frequent values, the first. Ignores empty values.
template <typename Value>
Value most_usual(const Samples& samples, Value SampleFacts::*member) {
  std::map<Value, std::size_t> counts;
  for (const SampleFacts& sample : samples) ++counts[sample.*member];
  counts.erase(Value{});
  Value usual{};
  for (const SampleFacts& sample : samples) {
    if (counts[sample.*member] > counts[usual]) usual = sample.*member;
  }
  return usual;
}

// The samples' usual settings. A row notes where its own settings differ.
struct Usual {
  SampleSettings settings;
  std::string precision;
};

Usual usual_of(const Samples& samples) {
  return {.settings = most_usual(samples, &SampleFacts::settings),
          .precision = most_usual(samples, &SampleFacts::precision)};
}

// The samples by name. Samples with the same name are in the order given.
using Named = std::map<std::string, std::vector<const SampleFacts*>>;

Named by_name(const Samples& samples) {
  Named named;
  for (const SampleFacts& sample : samples) named[sample.name].push_back(&sample);
  return named;
}

std::vector<std::string> other_settings(const SampleFacts& sample, const Usual& usual) {
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < kSampleSettings; ++k) {
    if (sample.settings[k] == usual.settings[k]) continue;
    notes.push_back(kSettingWords[k].says_value
                        ? fmt::format("other {}: {}", kSettingWords[k].name, sample.settings[k])
                        : fmt::format("other {}", kSettingWords[k].name));
  }
  return notes;
}

// Returns facts that a reader needs before comparing this row with others.
std::string notes_of(const SampleFacts& sample, const Usual& usual, const Named& named) {
  std::vector<std::string> notes = other_settings(sample, usual);
  if (sample.precision != usual.precision) {
    notes.push_back("computed in " + sample.precision);
  }
  if (!sample.finished) notes.emplace_back("the run did not finish");
  if (!sample.shard.empty()) notes.push_back(fmt::format("only shard {}", sample.shard));
  if (sample.failed_inputs > 0) {
    notes.push_back(fmt::format("{} of {} inputs failed", sample.failed_inputs, sample.inputs));
  }
  if (sample.counts.failed_frames > 0) {
    notes.push_back(fmt::format("{} frames failed", grouped(sample.counts.failed_frames)));
  }
  if (sample.synthetic) notes.emplace_back("synthetic weights");
  if (!sample.false_calls.empty()) notes.push_back(sample.false_calls);
  if (const std::size_t runs = named.at(sample.name).size(); runs > 1) {
    notes.push_back(fmt::format("{} runs have this name", runs));
  }
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::vector<Column> columns_of(bool has_controls, bool has_tiers) {
  std::vector<Column> columns{{"sample", "Sample"},
                              {"virus_sequences", "Virus", Measure::kCount},
                              {"virus_share", "Virus share", Measure::kShare}};
  const auto add = [&columns](std::initializer_list<Column> more) {
    columns.insert(columns.end(), more);
  };
  if (has_controls) {
    add({{"against_controls", "Against controls", Measure::kStatus},
         {"times_control", "Times the control", Measure::kFactor, "–"},
         {"at_least", "At least", Measure::kFactor, "–"},
         {"at_most", "At most", Measure::kFactor, "–"},
         {"nearest_control", "Nearest control"}});
  }
  if (has_tiers) {
    add({{"viral_high", "Viral: high", Measure::kCount, "–"},
         {"viral_moderate", "Viral: moderate", Measure::kCount, "–"},
         {"viral_low", "Viral: low", Measure::kCount, "–"},
         {"viral_review", "Viral: review", Measure::kCount, "–"},
         {"ambiguous_sequences", "Ambiguous", Measure::kCount, "–"}});
  }
  add({{"sequences", "Sequences", Measure::kCount},
       {"unscored_sequences", "Unscored", Measure::kCount},
       {"unscored_share", "Unscored share", Measure::kShare},
       {"bases", "Bases", Measure::kCount},
       {"virus_bases", "Bases called virus", Measure::kCount},
       {"seconds", "Time", Measure::kSeconds},
       {"state", "State", Measure::kStatus},
       {"notes", "Notes", Measure::kNone, "", true},
       {"run", "Run"}});
  return columns;
}

const char* word_of(AgainstControls found) {
  switch (found) {
    case AgainstControls::kControl:
      return "control";
    case AgainstControls::kAbove:
      return "above";
    case AgainstControls::kNotAbove:
      return "not above";
    case AgainstControls::kNotComparable:
      return "not comparable";
    case AgainstControls::kNone:
      break;
  }
  return "";
}

void add_control_cells(const ControlResult& result, const Samples& samples,
                       std::vector<Value>& row) {
  row.emplace_back(word_of(result.found));
  if (!result.ratio) {
    row.insert(row.end(), 4, Value{});
    return;
  }
  row.insert(row.end(), {optional_value(result.ratio->ratio), result.ratio->least,
                         result.ratio->most, samples[result.control].name});
}

void add_tier_cells(const SampleFacts& sample, std::vector<Value>& row) {
  const std::optional<ViralTiers>& tiers = sample.tiers;
  if (!tiers) {
    row.insert(row.end(), 5, Value{});
    return;
  }
  row.insert(row.end(), {tiers->high, tiers->moderate, tiers->low, tiers->review,
                         sample.counts.ambiguous_sequences});
}

bool has_tiers(const Samples& samples) {
  return std::ranges::any_of(samples,
                             [](const SampleFacts& sample) { return sample.tiers.has_value(); });
}

Table sample_table(const Samples& samples, const std::vector<std::size_t>& controls,
                   const std::vector<ControlResult>& results) {
  const bool tiers = has_tiers(samples);
  const Usual usual = usual_of(samples);
  const Named named = by_name(samples);
  Table table{.key = "samples",
              .caption = "One row for each sample",
              .can_be_filtered = true,
              .fills_screen = true};
  table.columns = columns_of(!controls.empty(), tiers);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const SampleFacts& sample = samples[k];
    const TableCounts& counts = sample.counts;
    std::vector<Value> row{sample.name, counts.virus_sequences, virus_share(sample)};
    if (!controls.empty()) add_control_cells(results[k], samples, row);
    if (tiers) add_tier_cells(sample, row);
    row.insert(row.end(), {counts.sequences, counts.unscored_sequences, unscored_share(sample),
                           sample.bases, sample.virus_bases, optional_value(sample.seconds),
                           state_of(sample.finished, sample.failed_inputs),
                           notes_of(sample, usual, named), sample.run});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Plots the samples with the largest shares; controls have their own colour.
template <typename ShareOf>
Plot share_plot(const char* key, const char* title, const Samples& samples,
                const std::vector<ControlResult>& results, const ShareOf& share_of) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t k) { return share_of(samples[k]); });
  if (order.size() > kMostBars) order.resize(kMostBars);
  Plot plot{.key = key,
            .title = title,
            .kind = PlotKind::kRows,
            .y_label = "share of all sequences",
            .unit = Measure::kShare};
  for (const std::size_t k : order) {
    const bool is_control = results[k].found == AgainstControls::kControl;
    const std::string name = samples[k].name + (is_control ? " (control)" : "");
    plot.bars.push_back({.tick = name,
                         .name = name,
                         .value = share_of(samples[k]),
                         .colour = is_control ? kControlColour : 0});
  }
  return plot;
}

Section share_section(const Samples& samples, const std::vector<ControlResult>& results) {
  Section section{.key = "shares", .title = "Largest shares"};
  if (samples.size() > kMostBars) {
    section.note = fmt::format(
        "The plots have only the {} samples with the largest shares; the table has all samples.",
        kMostBars);
  }
  section.plots = {share_plot("virus_share", "Called virus", samples, results, virus_share),
                   share_plot("unscored_share", "Unscored", samples, results, unscored_share)};
  return section;
}

template <typename Test>
void warn_of(const Samples& samples, const char* what, const Test& test,
             std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const SampleFacts& sample : samples) {
    if (test(sample)) names.push_back(sample.name);
  }
  if (names.empty()) return;
  warnings.push_back(fmt::format("{}: {} of {} samples ({}).", what, grouped(names.size()),
                                 grouped(samples.size()), some_of(names, kMostTold)));
}

void warn_of_names(const Samples& samples, std::vector<std::string>& warnings) {
  std::vector<std::string> doubled;
  for (const auto& [name, runs] : by_name(samples)) {
    if (runs.size() == 1) continue;
    std::vector<std::string> paths;
    for (const SampleFacts* sample : runs) paths.push_back(sample->run);
    doubled.push_back(
        fmt::format("{} ({} runs: {})", name, runs.size(), some_of(paths, kMostTold)));
  }
  if (doubled.empty()) return;
  warnings.push_back(
      fmt::format("Several runs have the same name: {}. MultiQC shows only one run for each name; "
                  "set other names with virnucpro predict --name.",
                  some_of(doubled, kMostTold)));
}

std::vector<std::string> warnings_of(const Samples& samples,
                                     const std::vector<std::size_t>& controls) {
  std::vector<std::string> warnings;
  warn_of(
      samples, "The weights are synthetic (seeded random numbers), so the calls mean nothing",
      [](const SampleFacts& sample) { return sample.synthetic; }, warnings);
  warn_of(
      samples, "The run did not finish (continue it with virnucpro predict --resume)",
      [](const SampleFacts& sample) { return !sample.finished; }, warnings);
  warn_of(
      samples, "Some inputs could not be read and have no rows in the tables",
      [](const SampleFacts& sample) { return sample.failed_inputs > 0; }, warnings);
  const Usual usual = usual_of(samples);
  warn_of(
      samples,
      "Models or settings differ from those of most samples (see the column Notes), so the calls "
      "cannot be compared",
      [&usual](const SampleFacts& sample) { return sample.settings != usual.settings; }, warnings);
  warn_of_names(samples, warnings);
  for (const std::size_t control : controls) {
    if (samples[control].counts.sequences > 0) continue;
    warnings.push_back(
        fmt::format("The control {} has no sequences: nothing can be compared with it.",
                    samples[control].name));
  }
  return warnings;
}

std::uint64_t count_above(const std::vector<ControlResult>& results) {
  return static_cast<std::uint64_t>(
      std::ranges::count(results, AgainstControls::kAbove, &ControlResult::found));
}

std::vector<Field> highlights_of(const Samples& samples, const std::vector<std::size_t>& controls,
                                 const std::vector<ControlResult>& results) {
  std::uint64_t sequences = 0;
  std::uint64_t viruses = 0;
  for (const SampleFacts& sample : samples) {
    sequences += sample.counts.sequences;
    viruses += sample.counts.virus_sequences;
  }
  std::vector<Field> fields{{"samples", "samples", std::uint64_t{samples.size()}, Measure::kCount},
                            {"sequences", "sequences", sequences, Measure::kCount},
                            {"virus_sequences", "called virus", viruses, Measure::kCount}};
  if (controls.empty()) return fields;
  fields.push_back({"controls", "controls", std::uint64_t{controls.size()}, Measure::kCount});
  fields.push_back({"above_controls", "above the controls", count_above(results), Measure::kCount});
  return fields;
}

Section control_section(const Samples& samples, const std::vector<std::size_t>& controls) {
  std::vector<std::string> names;
  for (const std::size_t control : controls) names.push_back(samples[control].name);
  Section section{.key = "controls", .title = "Samples above the controls"};
  section.note = fmt::format(
      "Negative controls: {}. A sample is above the controls if its share of sequences called "
      "virus is larger than the share of every control, and the difference is too large for "
      "random variation of the counts. “Times the control” is the sample's share divided by the "
      "share of the nearest control. “At least” and “At most” are the ends of the {:g} % interval "
      "of this ratio (exact, for two Poisson counts; Przyborowski and Wilenski 1940). A small "
      "control says little, because its interval is wide. The interval does not cover differences "
      "of contamination between wells; several controls show these differences.",
      fmt::join(names, ", "), 100 * kRatioConfidence);
  return section;
}

}  // namespace

Page samples_page(const Samples& samples, const std::vector<std::size_t>& controls) {
  const std::vector<ControlResult> results = compare_with_controls(samples, controls);
  Page page;
  page.title = samples.size() == 1 ? "1 sample" : fmt::format("{} samples", samples.size());
  page.subtitle = fmt::format("virnucpro {}", program_version());
  page.highlights = highlights_of(samples, controls, results);
  page.warnings = warnings_of(samples, controls);
  Section rows{.key = "samples", .title = "Samples"};
  rows.note =
      "Unscored sequences have no score, for example because every frame has a stop codon. They "
      "may be viral or not.";
  if (has_tiers(samples)) {
    rows.note +=
        " The columns “Viral” count the contigs that contigs.tsv calls viral, by confidence.";
  }
  rows.tables = {sample_table(samples, controls, results)};
  page.sections = {std::move(rows)};
  if (!controls.empty()) page.sections.push_back(control_section(samples, controls));
  page.sections.push_back(share_section(samples, results));
  return page;
}

}  // namespace virnucpro

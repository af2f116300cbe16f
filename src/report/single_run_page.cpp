#include "report/single_run_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/version.hpp"
#include "report/page_sections.hpp"
#include "report/sample_facts.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

std::string command_of(const std::vector<std::string>& arguments) {
  std::string command;
  for (const std::string& argument : arguments) {
    if (!command.empty()) command += ' ';
    command += shell_word(argument);
  }
  return command;
}

Table settings_table(const RunFacts& facts) {
  Table table{.key = "settings",
              .caption = "Settings that determine the scores (the journal's fingerprint)"};
  table.columns = {{"name", "Setting"}, {"value", "Value"}};
  for (const auto& [name, value] : facts.fingerprint) {
    if (name.starts_with(kVirusFilesKey)) continue;  // these entries are about files, not scores
    table.rows.push_back({shown_text(name), shown_text(value)});
  }
  return table;
}

Value plans_of(const RunTelemetry::Settings& settings) {
  std::string plans;
  for (const std::string& plan : settings.token_budget_plans) {
    plans += (plans.empty() ? "" : "; ") + plan;
  }
  return plans.empty() ? Value{} : Value{plans};
}

constexpr std::size_t kLongestPath = 4096;  // PATH_MAX, so that no path is cut

Value calibration_of(const RunFacts& facts) {
  const std::string place = entry_of(facts.fingerprint, kCalibrationFileKey);
  return place.empty() ? Value{} : Value{shown_text(place, kLongestPath)};
}

// Returns fields that say when, where, by which program and with which settings a run was made.
std::vector<Field> circumstances_of(const RunFacts& facts) {
  const RunTelemetry& recorded = facts.telemetry;
  return {
      {"started", "Started", measured(recorded.run.started)},
      {"version", "Version", measured(recorded.program.version)},
      {"build", "Build", measured(recorded.program.build)},
      {"commit", "Commit", measured(recorded.program.commit)},
      {"host", "Host", measured(recorded.machine.host)},
      {"driver", "Driver", measured(recorded.machine.driver)},
      {"processor", "Processor", measured(recorded.machine.processor)},
      {"processors", "Processors", measured(recorded.machine.processors), Measure::kCount},
      {"precision", "Precision", measured(recorded.settings.precision)},
      {"int8_keep", "Matrix products kept in 16 bits", measured(recorded.settings.int8_keep)},
      {"margin", "Margin: closer calls are computed again (logits)",
       measured(recorded.settings.margin)},
      {"check_precision", "Precision in which close calls are computed again",
       measured(recorded.settings.check_precision)},
      {"calibration_file", "Calibration", calibration_of(facts)},
      {"calibration_margin", "Margin of the calibration (logits)",
       measured(parse_number(entry_of(facts.fingerprint, kCalibrationMarginKey)))},
      {"threads", "Threads", measured(recorded.settings.threads), Measure::kCount},
      {"token_budget", "Token budget", measured(recorded.settings.token_budget), Measure::kCount},
      {"token_budget_asked", "Token budget asked for",
       measured(recorded.settings.token_budget_asked)},
      {"token_budget_plans", "How the token budget was chosen", plans_of(recorded.settings)},
      {"prefetch", "Batches that wait for each worker", measured(recorded.settings.prefetch),
       Measure::kCount},
      {"kernel_path", "Kernel path", measured(recorded.models.kernel_path)},
  };
}

Table device_table(const RunTelemetry& recorded) {
  Table table{.key = "devices", .caption = "Devices"};
  table.columns = {{"id", "Device"},
                   {"uuid", "UUID"},
                   {"name", "Name"},
                   {"memory_bytes", "Memory", Measure::kBytes},
                   {"power_limit_w", "Power limit", Measure::kWatts},
                   {"failure", "Failure"}};
  add_rows(recorded.machine.devices, table);
  return table;
}

Section unmeasured_section() {
  Section section{.key = "throughput", .title = "Throughput"};
  section.note =
      "Nothing was measured: the run left no telemetry. This page shows what the journal has.";
  return section;
}

std::vector<Field> highlights_of(const RunFacts& facts) {
  const RunTelemetry& recorded = facts.telemetry;
  const TableCounts& counts = facts.scores.counts;
  std::vector<Field> fields{
      {"sequences", "sequences", counts.sequences, Measure::kCount},
      {"virus_sequences", "called virus", counts.virus_sequences, Measure::kCount},
      {"other_sequences", "others", counts.others(), Measure::kCount},
      {"ambiguous_sequences", "ambiguous", counts.ambiguous_sequences, Measure::kCount},
      {"unscored_sequences", "unscored", counts.unscored_sequences, Measure::kCount},
      {"frames", "frames scored", counts.frames, Measure::kCount}};
  if (!facts.measured()) return fields;
  fields.push_back({"seconds", "time", measured(recorded.run.seconds), Measure::kSeconds});
  return fields;
}

// Returns the sections on how the results were computed, which most readers do not need.
std::vector<Section> engine_sections(const RunFacts& facts) {
  std::vector<Section> sections{reproduce_section(facts)};
  if (facts.telemetry.settings.check_precision) sections.push_back(precision_section(facts));
  if (!facts.measured()) {
    sections.push_back(unmeasured_section());
    return sections;
  }
  sections.insert(sections.end(),
                  {throughput_section(facts), stage_section(facts), device_section(facts),
                   packing_section(facts), verdict_section(facts)});
  if (facts.telemetry.shards) sections.push_back(shard_section(facts));
  return sections;
}

}  // namespace

Section reproduce_section(const RunFacts& facts) {
  Section section{.key = "reproduce", .title = "How to reproduce"};
  section.preformatted = command_of(facts.telemetry.run.command);
  section.note = section.preformatted.empty()
                     ? "The command line is in logs/virnucpro.log; the journal has the hashes of "
                       "the inputs and models."
                     : "The same command on the same inputs gives the same bytes, if numerics "
                       "version, precision and kernel path are the same.";
  if (const auto& rule = facts.telemetry.settings.rule;
      rule && rule != word_of(facts.rule.name())) {
    section.note += fmt::format(" The rule was changed later, by export --rule {}.",
                                word_of(facts.rule.name()));
  }
  section.fields = circumstances_of(facts);
  std::erase_if(section.fields, [](const Field& field) { return field.value == Value{}; });
  if (Table devices = device_table(facts.telemetry); !devices.rows.empty()) {
    section.tables.push_back(std::move(devices));
  }
  section.tables.push_back(settings_table(facts));
  return section;
}

Page single_run_page(const RunFacts& facts) {
  Page page;
  page.title = facts.stem.empty() ? facts.name : facts.stem;
  page.subtitle = fmt::format("virnucpro {}, {}", program_version(), facts.name);
  const auto failed = std::ranges::count_if(facts.inputs, &InputEntry::failed);
  page.badges.push_back(state_of(facts.finished, static_cast<std::uint64_t>(failed)));
  if (facts.synthetic) page.badges.emplace_back("synthetic weights");
  page.highlights = highlights_of(facts);
  page.warnings = facts.warnings;
  page.sections = {score_section(facts), hit_section(facts)};
  if (auto contigs = contig_section(facts)) page.sections.push_back(*std::move(contigs));
  page.sections.insert(page.sections.end(), {unscored_section(facts), input_section(facts)});
  for (Section& section : engine_sections(facts)) {
    section.folded = true;
    page.sections.push_back(std::move(section));
  }
  return page;
}

}  // namespace virnucpro

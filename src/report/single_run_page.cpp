#include "report/single_run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/shown_text.hpp"
#include "base/version.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostArguments = 10000;

bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x80U && std::isalnum(code) != 0) ||
           std::string_view("-_./:=,+@%").find(letter) != std::string_view::npos;
  });
}

// As a shell takes it back.
std::string shell_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  quoted += '\'';
  return quoted;
}

std::string command_of(const JsonValues& summary) {
  std::string command;
  const std::size_t words = std::min(summary.elements("run/command"), kMostArguments);
  for (std::size_t k = 0; k < words; ++k) {
    const std::string word = summary.text(fmt::format("run/command/{}", k)).value_or("");
    if (k > 0) command += ' ';
    command += shell_word(word);
  }
  return command;
}

Table settings_table(const RunFacts& facts) {
  Table table{.key = "settings",
              .caption = "What the scores follow from (the journal's fingerprint)"};
  table.columns = {{"name", "Setting"}, {"value", "Value"}};
  for (const auto& [name, value] : facts.fingerprint) {
    table.rows.push_back({shown_text(name), shown_text(value)});
  }
  return table;
}

// Words of the summary that tell where and with what a run was made.
struct Fact {
  const char* path;
  const char* key;
  const char* label;
  Measure unit = Measure::kNone;
};
constexpr std::array kFacts{
    Fact{"run/started", "started", "Started"},
    Fact{"program/version", "version", "Version"},
    Fact{"program/build", "build", "Build"},
    Fact{"program/commit", "commit", "Commit"},
    Fact{"machine/host", "host", "Host"},
    Fact{"machine/driver", "driver", "Driver"},
    Fact{"machine/processor", "processor", "Processor"},
    Fact{"machine/processors", "processors", "Processors", Measure::kCount},
    Fact{"settings/precision", "precision", "Precision"},
    Fact{"settings/threads", "threads", "Threads", Measure::kCount},
    Fact{"settings/token_budget", "token_budget", "Token budget", Measure::kCount},
    Fact{"settings/prefetch", "prefetch", "Batches ahead", Measure::kCount},
    Fact{"models/kernel_path", "kernel_path", "Kernel path"},
};

Table device_table(const JsonValues& summary) {
  Table table{.key = "devices", .caption = "Devices"};
  table.columns = {{"id", "Device"},
                   {"name", "Name"},
                   {"memory_bytes", "Memory", Measure::kBytes},
                   {"power_limit_w", "Power limit", Measure::kWatts},
                   {"failure", "What is wrong with it"}};
  add_rows(summary, "machine/devices", table);
  return table;
}

Section unmeasured_section() {
  Section section{.key = "throughput", .title = "Throughput"};
  section.note =
      "Nothing was measured: the run left no telemetry. What is said here is the journal's.";
  return section;
}

std::vector<Field> highlights_of(const RunFacts& facts) {
  const RunFigures figures = figures_of(facts);
  const TableCounts& counts = facts.scores.counts;
  std::vector<Field> fields{
      {"sequences", "sequences", counts.sequences, Measure::kCount},
      {"virus_sequences", "called virus", counts.virus_sequences, Measure::kCount},
      {"unscored_sequences", "unscored", counts.unscored_sequences, Measure::kCount},
      {"frames", "frames scored", counts.frames, Measure::kCount}};
  if (!facts.measured()) return fields;
  fields.push_back({"seconds", "time", figures.seconds, Measure::kSeconds});
  fields.push_back({"sequences_per_second", "sequences a second", figures.sequences_per_second,
                    Measure::kPerSecond});
  return fields;
}

}  // namespace

Section reproduce_section(const RunFacts& facts) {
  Section section{.key = "reproduce", .title = "How to reproduce"};
  section.preformatted = command_of(facts.summary);
  section.note = section.preformatted.empty()
                     ? "The command line is in logs/virnucpro.log; the journal names inputs and "
                       "models by their hashes."
                     : "The same command on the same inputs gives the same bytes, within one "
                       "numerics class.";
  for (const Fact& fact : kFacts) {
    Value value = told(facts.summary, fact.path);
    if (std::holds_alternative<std::monostate>(value)) continue;
    section.fields.push_back({fact.key, fact.label, std::move(value), fact.unit});
  }
  if (Table devices = device_table(facts.summary); !devices.rows.empty()) {
    section.tables.push_back(std::move(devices));
  }
  section.tables.push_back(settings_table(facts));
  return section;
}

Page single_run_page(const RunFacts& facts) {
  Page page;
  page.title = facts.stem.empty() ? facts.name : facts.stem;
  page.subtitle = fmt::format("virnucpro {}, {}", program_version(), facts.name);
  page.badges.emplace_back(facts.finished ? "finished" : "partial");
  if (facts.synthetic) page.badges.emplace_back("synthetic weights");
  page.highlights = highlights_of(facts);
  page.warnings = facts.warnings;
  page.sections = {score_section(facts), hit_section(facts), input_section(facts)};
  if (facts.measured()) {
    page.sections.insert(page.sections.begin(), verdict_section(facts));
    page.sections.insert(page.sections.end() - 1, {throughput_section(facts), device_section(facts),
                                                   packing_section(facts), stage_section(facts)});
  } else {
    page.sections.push_back(unmeasured_section());
  }
  page.sections.push_back(reproduce_section(facts));
  return page;
}

}  // namespace virnucpro

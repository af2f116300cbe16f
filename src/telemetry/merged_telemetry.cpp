#include "telemetry/merged_telemetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "journal/run_files.hpp"
#include "run/run_fingerprint.hpp"
#include "telemetry/batch_facts.hpp"
#include "telemetry/device_facts.hpp"
#include "telemetry/telemetry_files.hpp"
#include "telemetry/telemetry_sum.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// The most sessions of a shard that are read. Normal runs have fewer sessions.
constexpr std::size_t kMostSessions = 256;
constexpr std::size_t kMostNamed = 20;  // the most shards that a warning names

// Returns the earliest start of any shard's session; empty if there is no telemetry.
std::optional<SystemTime> first_start(const std::vector<fs::path>& shards) {
  std::optional<SystemTime> first;
  for (const fs::path& shard : shards) {
    for (const std::string& time : telemetry_times(shard)) {
      const std::optional<SystemTime> start = parse_file_time(time);
      if (start && (!first || *start < *first)) first = start;
    }
  }
  return first;
}

// Returns a session's telemetry; empty, with a warning, if one of its files is damaged.
std::optional<MeasuredSession> read_session(const fs::path& shard, const std::string& time) {
  const std::optional<SystemTime> started = parse_file_time(time);
  if (!started) return std::nullopt;
  const TelemetryFiles files = telemetry_at(shard, time);
  MeasuredSession session{.started = *started};
  try {
    std::optional<RunTelemetry> summary;
    if (!files.summary.empty()) summary = read_run_telemetry(files.summary);
    session.has_summary = summary.has_value();
    if (summary) {
      session.telemetry = *std::move(summary);
    } else {
      BatchFacts batches;
      MetricFacts metrics;
      if (!files.batches.empty()) batches = read_batches(files.batches);
      if (!files.metrics.empty()) metrics = read_metrics(files.metrics);
      session.telemetry = telemetry_of_killed_run(batches, metrics);
    }
    return session;
  } catch (const Error& error) {
    log_warning(
        "calls and tables are complete, but the report lacks the telemetry of one run of a shard: "
        "{}",
        error.what());
    return std::nullopt;
  }
}

std::vector<MeasuredSession> read_sessions(const fs::path& shard, const Cancel& cancel) {
  std::vector<std::string> times = telemetry_times(shard);
  if (times.size() > kMostSessions) {
    log_warning("{}: the shard has telemetry of {} sessions; only the last {} are used",
                shard.string(), times.size(), kMostSessions);
    times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(kMostSessions));
  }
  std::vector<MeasuredSession> sessions;
  for (const std::string& time : times) {
    cancel.check();
    if (auto session = read_session(shard, time)) sessions.push_back(*std::move(session));
  }
  return sessions;
}

// Returns true if one of the sessions finished.
bool has_end(const std::vector<MeasuredSession>& sessions) {
  return std::ranges::any_of(sessions, [](const MeasuredSession& session) {
    return session.telemetry.run.status == "finished";
  });
}

void warn_of_unmeasured(const std::vector<fs::path>& unmeasured, std::size_t shards) {
  if (unmeasured.empty()) return;
  std::string names;
  for (std::size_t k = 0; k < std::min(unmeasured.size(), kMostNamed); ++k) {
    names += (k == 0 ? "" : ", ") + unmeasured[k].string();
  }
  if (unmeasured.size() > kMostNamed) names += " …";
  log_warning(
      "the merged run's telemetry is incomplete: {} of {} shards have no finished session with "
      "telemetry: {}",
      unmeasured.size(), shards, names);
}

// Returns the fingerprint's entries that describe the models, as in RunStart::description.
std::map<std::string, std::string> models_of(const Journal::Fingerprint& print) {
  constexpr std::array<std::string_view, 4> kBeginnings{"classifier", "dnabert_s", "esm2",
                                                        "tokenizer"};
  std::map<std::string, std::string> models;
  for (const auto& entry : print) {
    const bool is_of_a_model = std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
      return entry.first.starts_with(beginning);
    });
    if (is_of_a_model) models.emplace(entry.first, shown_text(entry.second));
  }
  return models;
}

void add_merge(const MergedRun& run, RunTelemetry& whole) {
  const Journal::Fingerprint print = run.journal.fingerprint();
  whole.run.status = "finished";
  whole.run.output = shown_text(run.directory.path().string());
  whole.run.stem = shown_text(entry_of(print, "stem"));
  whole.run.command = run.program.command;
  if (!whole.run.models_ready_seconds) whole.run.models_ready_seconds = 0;
  whole.program = {.version = std::string(program_version()),
                   .build = run.program.build,
                   .commit = run.program.commit};
  whole.models.description = models_of(print);
  whole.models.synthetic = is_synthetic(print);
  const CallRule rule = rule_of(print);
  whole.settings.rule = std::string(word_of(rule.name()));
  whole.settings.min_score = rule.min_score();
  whole.settings.min_share = rule.min_share();
  RunTelemetry::Workload& workload = whole.workload;
  workload.virus_sequences = run.summary.counts.virus_sequences;
  workload.ambiguous_sequences = run.summary.counts.ambiguous_sequences;
  workload.unscored_sequences = run.summary.counts.unscored_sequences;
  workload.failed_frames = run.summary.counts.failed_frames;
  workload.inputs = inputs_section(run.summary.inputs);
}

}  // namespace

void write_merged_telemetry(const MergedRun& run, const Cancel& cancel) {
  const std::optional<SystemTime> start = first_start(run.shards);
  std::vector<fs::path> unmeasured;
  TelemetrySum sum(start.value_or(SystemTime()));
  for (std::size_t k = 0; k < run.shards.size(); ++k) {
    const std::vector<MeasuredSession> sessions = read_sessions(run.shards[k], cancel);
    if (!has_end(sessions)) unmeasured.push_back(run.shards[k]);
    sum.add(shard_text({.index = k, .count = run.shards.size()}),
            shown_text(run.shards[k].string()), sessions);
  }
  warn_of_unmeasured(unmeasured, run.shards.size());
  // Without a finished session, the models and settings are unknown.
  if (!start || unmeasured.size() == run.shards.size()) return;
  RunTelemetry whole = sum.whole();
  add_merge(run, whole);
  try {
    AtomicFile file(run.directory.place(run_files::kTelemetry, file_time(*start)));
    file.write(telemetry_json(whole));
    file.sync();
    file.commit();
  } catch (const Error& error) {
    log_warning("the merged run's telemetry could not be written: {}", error.what());
  }
}

bool has_merged_telemetry(const RunFolder& directory) {
  return std::ranges::any_of(directory.own_files(), [](const RunFolder::OwnFile& file) {
    return file.folder.empty() && run_files::kTelemetry.matches(file.name);
  });
}

bool have_telemetry(const std::vector<fs::path>& shards) {
  return first_start(shards).has_value();
}

}  // namespace virnucpro

#include "telemetry/telemetry_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "telemetry/bottlenecks.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {
namespace {

using Count = RunTelemetry::Count;
using Number = RunTelemetry::Number;
using Text = RunTelemetry::Text;

constexpr std::size_t kLongestList = 3'000;  // the most bytes of a list of names

double or_zero(const Number& number) {
  return number.value_or(0);
}
double or_zero(const Count& count) {
  return static_cast<double>(count.value_or(0));
}

double quotient(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

template <typename Record>
void add_fields(Record& sum, const std::type_identity_t<Record>& more);

template <typename T>
void add_field(FieldRule rule, std::optional<T>& sum, const std::optional<T>& more) {
  if (!more || rule == FieldRule::kNotAdded) return;
  if (!sum) {
    sum = more;
  } else if (rule == FieldRule::kMost) {
    sum = std::max(*sum, *more);
  } else if (rule == FieldRule::kLeast) {
    sum = std::min(*sum, *more);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    *sum += *more;
  }
}
template <IsRecord Record>
void add_field(FieldRule /*rule*/, Record& sum, const Record& more) {
  if constexpr (std::is_same_v<Record, Statistic>) {
    sum = combined(sum, more);
  } else {
    add_fields(sum, more);
  }
}
// Lists are left to the caller: their elements are matched by names, which differ between hosts.
template <typename T>
void add_field(FieldRule /*rule*/, std::vector<T>& /*sum*/, const std::vector<T>& /*more*/) {}
template <typename T>
void add_field(FieldRule /*rule*/, std::optional<std::vector<T>>& /*sum*/,
               const std::optional<std::vector<T>>& /*more*/) {}

// Adds each field of `more` by its rule. A field that is empty in `more` changes nothing.
template <typename Record>
void add_fields(Record& sum, const std::type_identity_t<Record>& more) {
  for_each_pair(sum, more, [&sum](std::string_view, auto& total, const auto& one) {
    add_field(field_rule(sum, &total), total, one);
  });
}

// Returns "a, b"; names beyond kLongestList are only counted: "a, b and 3 more".
std::string list_of(const std::set<std::string>& names) {
  std::string list;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    if (list.size() + name.size() > kLongestList) return fmt::format("{} and {} more", list, left);
    list += (list.empty() ? "" : ", ") + name;
    --left;
  }
  return list;
}

template <typename PhaseRecord>
void add_phases(std::vector<PhaseRecord>& sums, const std::vector<PhaseRecord>& phases) {
  for (const PhaseRecord& phase : phases) {
    if (!phase_named(phase.phase.value_or(""))) continue;
    const auto known = std::ranges::find(sums, phase.phase, &PhaseRecord::phase);
    add_fields(known == sums.end() ? sums.emplace_back() : *known, phase);
  }
}

bool has_computed(const RunTelemetry& session) {
  return session.workload.batches.value_or(0) > 0;
}

double computing_seconds(const RunTelemetry& session) {
  return quotient(or_zero(session.workload.esm_tokens),
                  or_zero(session.throughput.esm_tokens_per_second));
}

// Returns the last session that finished, which read the whole shard; null if no session finished.
const RunTelemetry* finished_one(const std::vector<MeasuredSession>& sessions) {
  const RunTelemetry* found = nullptr;
  for (const MeasuredSession& session : sessions) {
    if (session.telemetry.run.status == "finished") found = &session.telemetry;
  }
  return found;
}

void add_words(const Text& words, std::set<std::string>& all) {
  if (words && !words->empty()) all.insert(*words);
}

std::string key_of(const RunTelemetry::Machine& machine,
                   const RunTelemetry::MachineDevice& device) {
  return machine.host.value_or("") + '\n' + device.uuid.value_or(device.id.value_or(""));
}

int badness_of(const Text& status) {
  constexpr std::array<std::string_view, 4> kFromBest{"SKIPPED", "PASS", "WARN", "MISS"};
  const auto found = std::ranges::find(kFromBest, status.value_or(""));
  return static_cast<int>(found - kFromBest.begin()) % static_cast<int>(kFromBest.size());
}

}  // namespace

const std::string& TelemetrySum::Names::of(const std::string& name) {
  return keys.try_emplace(name, host + '\n' + name).first->second;
}

const std::string& TelemetrySum::labelled(const Text& name, Names& names) {
  const std::string label = name.value_or("");
  const std::string& key = names.of(label);
  labels_.try_emplace(key, label);
  return key;
}

void TelemetrySum::add(const std::string& shard, const std::string& directory,
                       const std::vector<MeasuredSession>& sessions) {
  RunTelemetry::ShardPart part{.shard = shard, .directory = directory, .sessions = sessions.size()};
  if (sessions.empty()) {
    parts_.push_back(std::move(part));
    return;
  }
  // A killed session does not name its host. Use the host of the other sessions for it.
  Names names;
  std::set<std::string> hosts;
  std::set<std::string> gpus;
  for (const MeasuredSession& session : sessions) {
    const RunTelemetry::Machine& machine = session.telemetry.machine;
    if (machine.host) {
      names.host = *machine.host;
      add_words(machine.host, hosts);
    }
    for (const RunTelemetry::MachineDevice& device : machine.devices) {
      add_words(device.name, gpus);
      names.keys.try_emplace(device.id.value_or(""), key_of(machine, device));
    }
  }
  for (const MeasuredSession& session : sessions) add_session(session, names);
  part.started = iso_time(sessions.front().started);
  part.host = list_of(hosts);
  part.gpus = list_of(gpus);
  add_counts(sessions, part);
  const RunTelemetry* const finished = finished_one(sessions);
  if (finished != nullptr) {
    if (!sum_.settings.chunk_size) {
      sum_.settings = finished->settings;
      sum_.models = finished->models;
    }
    for (const MeasuredSession& session : sessions) {
      gpus_.insert(session.telemetry.settings.gpus.begin(), session.telemetry.settings.gpus.end());
    }
  }
  for (auto session = sessions.rbegin(); session != sessions.rend(); ++session) {
    if (session->telemetry.verdicts.empty() || !has_computed(session->telemetry)) continue;
    add_verdicts(session->telemetry.verdicts, shard);
    break;
  }
  parts_.push_back(std::move(part));
}

// Adds a shard's counts. Computed work is summed over all sessions. The counts of read data are
// those of the last finished session, because a resumed run reads everything again.
void TelemetrySum::add_counts(const std::vector<MeasuredSession>& sessions,
                              RunTelemetry::ShardPart& part) {
  double computing = 0;
  for (const MeasuredSession& session : sessions) {
    const RunTelemetry::Workload& one = session.telemetry.workload;
    add_fields(
        sum_.workload,
        {.esm_tokens = one.esm_tokens, .dna_tokens = one.dna_tokens, .batches = one.batches});
    add_fields(part, {.seconds = session.telemetry.run.seconds, .esm_tokens = one.esm_tokens});
    computing += computing_seconds(session.telemetry);
  }
  part.esm_tokens_per_second = quotient(or_zero(part.esm_tokens), computing);
  const RunTelemetry* const finished = finished_one(sessions);
  if (finished == nullptr) return;
  RunTelemetry::Workload read = finished->workload;
  for (Count* computed : {&read.esm_tokens, &read.dna_tokens, &read.batches}) computed->reset();
  add_fields(sum_.workload, read);
  part.sequences = read.sequences_scored;
}

void TelemetrySum::add_session(const MeasuredSession& session, Names& names) {
  const RunTelemetry& one = session.telemetry;
  if (session.has_summary) add_machine(one.machine, names);
  sum_.run.resumed = sum_.run.resumed.value_or(false) || one.run.resumed.value_or(false);
  add_time(session);
  add_stages(one.stages);
  add_workers(one.workers, names);
  add_devices(one.devices, names);
  add_fields(sum_.host, one.host);
  add_phases(sum_.host.phases, one.host.phases);
  add_calls(one);
  packed_tokens_ += or_zero(one.packing.efficiency) * or_zero(one.packing.budget_tokens);
  waited_ += or_zero(one.waits.average_seconds) * or_zero(one.workload.batches);
  add_fields(sum_.packing, one.packing);
  add_fields(sum_.waits, one.waits);
  add_fields(sum_.monitor, one.monitor);
}

void TelemetrySum::add_machine(const RunTelemetry::Machine& machine, Names& names) {
  const std::string host = machine.host.value_or("");
  names.host = host;
  processors_[host] = std::max(processors_[host], machine.processors.value_or(0));
  add_words(machine.processor, processor_names_);
  add_words(machine.driver, drivers_);
  for (const RunTelemetry::MachineDevice& device : machine.devices) {
    // Replace the key, because a name may stand for another GPU in another session.
    names.keys[device.id.value_or("")] = key_of(machine, device);
    RunTelemetry::MachineDevice& known =
        machine_devices_.try_emplace(labelled(device.id, names), device).first->second;
    if (known.failure.value_or("").empty()) known.failure = device.failure;
  }
}

void TelemetrySum::add_time(const MeasuredSession& session) {
  const RunTelemetry& one = session.telemetry;
  const double begin = std::chrono::duration<double>(session.started - origin_).count();
  const double seconds = or_zero(one.run.seconds);
  const double computing = computing_seconds(one);
  // A killed session does not say when its models were ready. Its last record is a batch, so count
  // the computing time back from the session's end.
  const double ready = one.run.models_ready_seconds.value_or(std::max(0.0, seconds - computing));
  running_.emplace_back(begin, begin + seconds);
  if (computing > 0) computing_.emplace_back(begin + ready, begin + ready + computing);
  summed_seconds_ += seconds;
  frames_ += or_zero(one.throughput.frames_per_second) * computing;
  add_fields(sum_.run, {.models_ready_seconds = one.run.models_ready_seconds});
  const RunTelemetry::OverTime& rates = one.throughput.over_time;
  const double interval = or_zero(rates.interval_seconds);
  const auto spread = [&](const std::vector<std::uint64_t>& amounts, RateSeries& series) {
    for (std::size_t k = 0; k < amounts.size() && interval > 0; ++k) {
      if (amounts[k] > 0) series.add(begin + (static_cast<double>(k) + 0.5) * interval, amounts[k]);
    }
  };
  spread(rates.frames, frames_over_time_);
  spread(rates.esm_tokens, tokens_over_time_);
}

void TelemetrySum::add_stages(const std::vector<RunTelemetry::Stage>& stages) {
  for (const RunTelemetry::Stage& stage : stages) {
    const std::string name = stage.name.value_or("");
    const std::string clock = stage.clock.value_or("");
    auto known = std::ranges::find_if(
        stages_, [&](const Stage& one) { return one.name == name && one.clock == clock; });
    if (known == stages_.end()) {
      // Limit the number of stages, because the names come from files. A run has about ten stages.
      constexpr std::size_t kMostStages = 64;
      if (stages_.size() == kMostStages) continue;
      known = stages_.insert(known, Stage{.name = name, .clock = clock});
    }
    const double seconds = or_zero(stage.seconds);
    known->seconds += seconds;
    known->tokens += or_zero(stage.tokens_per_second) * seconds;
    if (!stage.utilization_percent) continue;
    known->utilization += *stage.utilization_percent * seconds;
    known->measured += seconds;
  }
}

void TelemetrySum::add_workers(const std::vector<RunTelemetry::Worker>& workers, Names& names) {
  for (const RunTelemetry::Worker& worker : workers) {
    add_fields(workers_[labelled(worker.name, names)], worker);
  }
}

void TelemetrySum::add_devices(const std::vector<RunTelemetry::Device>& devices, Names& names) {
  for (const RunTelemetry::Device& device : devices) {
    RunTelemetry::Device& sum = devices_[labelled(device.id, names)];
    add_fields(sum, device);
    add_phases(sum.phases, device.phases);
    std::set<std::string> reasons;
    add_words(sum.throttle_reasons, reasons);
    if (!sum.throttle_reasons ||
        sum.throttle_reasons->find(device.throttle_reasons.value_or("")) == std::string::npos) {
      add_words(device.throttle_reasons, reasons);
    }
    sum.throttle_reasons = list_of(reasons);
  }
}

// Adds the counts, because no two sessions check the same chunk. Also adds the estimates and the
// ends of their intervals. An interval computed from the added counts would be narrower.
void TelemetrySum::add_calls(const RunTelemetry& session) {
  add_fields(sum_.close_calls, session.close_calls);
  RunTelemetry::Shadow& sum = sum_.shadow;
  const RunTelemetry::Shadow& one = session.shadow;
  const double before = or_zero(sum.frames);
  const double frames = or_zero(one.frames);
  if (frames > 0) {
    const auto weighted = [&](double a, double b) {
      return (a * before + b * frames) / (before + frames);
    };
    sum.logit_mean = weighted(or_zero(sum.logit_mean), or_zero(one.logit_mean));
    sum.logit_rms = std::sqrt(weighted(or_zero(sum.logit_rms) * or_zero(sum.logit_rms),
                                       or_zero(one.logit_rms) * or_zero(one.logit_rms)));
  }
  add_fields(sum, one);
  if (sum.strata.size() < one.strata.size()) sum.strata.resize(one.strata.size());
  for (std::size_t k = 0; k < one.strata.size(); ++k) {
    sum.strata[k].from_logits = one.strata[k].from_logits;
    sum.strata[k].share = one.strata[k].share;
    add_fields(sum.strata[k], one.strata[k]);
  }
}

void TelemetrySum::add_verdicts(const std::vector<RunTelemetry::Verdict>& verdicts,
                                const std::string& shard) {
  for (const RunTelemetry::Verdict& verdict : verdicts) {
    const auto known = std::ranges::find_if(
        verdicts_, [&](const WorstVerdict& one) { return one.verdict.id == verdict.id; });
    if (known == verdicts_.end()) {
      constexpr std::size_t kMostVerdicts = 64;
      if (verdicts_.size() < kMostVerdicts) verdicts_.push_back({verdict, shard, 1});
      continue;
    }
    const int before = badness_of(known->verdict.status);
    const int now = badness_of(verdict.status);
    if (now > before) *known = {verdict, shard, 0};
    if (now >= before) ++known->shards;
  }
}

double TelemetrySum::length_of(Spans spans) {
  std::ranges::sort(spans);
  double length = 0;
  double covered = -std::numeric_limits<double>::infinity();
  for (const auto& [begin, end] : spans) {
    if (end <= covered) continue;
    length += end - std::max(begin, covered);
    covered = end;
  }
  return length;
}

// Returns a device's name: "cuda:0", or "node1:cuda:0" if there are several hosts. Adds the UUID if
// two GPUs of a host have the same name.
std::string TelemetrySum::label_of(const std::string& key) const {
  const std::string host = key.substr(0, key.find('\n'));
  const std::string& name = labels_.at(key);
  std::string label = processors_.size() > 1 && !host.empty() ? host + ":" + name : name;
  const bool is_shared = std::ranges::any_of(labels_, [&](const auto& other) {
    return other.first != key && other.second == name && other.first.starts_with(host + '\n');
  });
  if (is_shared) label += " " + key.substr(host.size() + 1);
  return label;
}

void TelemetrySum::finish_rates(RunTelemetry& whole) const {
  const double computing = length_of(computing_);
  const auto rate = [computing](double amount) { return quotient(amount, computing); };
  RunTelemetry::Throughput& rates = whole.throughput;
  const double tokens = or_zero(whole.workload.esm_tokens);
  rates.sequences_per_second = rate(or_zero(whole.workload.sequences_scored));
  rates.frames_per_second = rate(frames_);
  rates.esm_tokens_per_second = rate(tokens);
  rates.tokens_per_second = rate(tokens + or_zero(whole.workload.dna_tokens));
  rates.over_time = {.interval_seconds = tokens_over_time_.interval(),
                     .frames = frames_over_time_.amounts(),
                     .esm_tokens = tokens_over_time_.amounts()};
  whole.packing.efficiency = quotient(packed_tokens_, or_zero(whole.packing.budget_tokens));
  whole.waits.average_seconds = quotient(waited_, or_zero(whole.workload.batches));
  whole.waits.starved_share =
      quotient(or_zero(whole.waits.queue.starved), or_zero(whole.workload.batches));
}

void TelemetrySum::finish_stages(RunTelemetry& whole) const {
  double device = 0;
  for (const Stage& stage : stages_) device += stage.clock == "device" ? stage.seconds : 0;
  for (const Stage& stage : stages_) {
    RunTelemetry::Stage& one = whole.stages.emplace_back();
    one.name = stage.name;
    one.clock = stage.clock;
    one.seconds = stage.seconds;
    one.share = quotient(stage.seconds, stage.clock == "device" ? device : summed_seconds_);
    if (stage.measured > 0) one.utilization_percent = stage.utilization / stage.measured;
    if (stage.tokens > 0) one.tokens_per_second = stage.tokens / stage.seconds;
  }
}

void TelemetrySum::finish_units(RunTelemetry& whole) const {
  std::map<std::string, std::string> shown;  // labels by key
  for (const auto& [key, label] : labels_) shown.emplace(key, label_of(key));
  for (const auto& [key, device] : machine_devices_) {
    if (whole.machine.devices.size() == RunTelemetry::kMostUnits) break;
    whole.machine.devices.push_back(device);
    whole.machine.devices.back().id = shown.at(key);
  }
  for (const auto& [key, device] : devices_) {
    if (whole.devices.size() == RunTelemetry::kMostUnits) break;
    whole.devices.push_back(device);
    whole.devices.back().id = shown.at(key);
  }
  for (const auto& [key, worker] : workers_) {
    if (whole.workers.size() == RunTelemetry::kMostUnits) break;
    RunTelemetry::Worker& one = whole.workers.emplace_back(worker);
    one.index = whole.workers.size() - 1;
    one.name = shown.at(key);
    const double busy = or_zero(one.busy_seconds);
    one.busy_share = quotient(busy, busy + or_zero(one.waiting_seconds));
  }
}

void TelemetrySum::finish_verdicts(RunTelemetry& whole) const {
  for (const WorstVerdict& worst : verdicts_) {
    RunTelemetry::Verdict verdict = worst.verdict;
    const std::string detail = verdict.detail.value_or("");
    verdict.detail =
        fmt::format("{} in {} of {} shards, first in shard {}{}{}", verdict.status.value_or(""),
                    worst.shards, parts_.size(), worst.shard, detail.empty() ? "" : ": ", detail);
    whole.verdicts.push_back(std::move(verdict));
  }
  const bool power_capped = std::ranges::any_of(whole.devices, [](const auto& device) {
    return device.throttle_reasons.value_or("").find("power") != std::string::npos;
  });
  whole.bottlenecks = find_bottlenecks(whole.stages, {.utilization = least_utilization(whole),
                                                      .power_capped = power_capped,
                                                      .on_gpu = !whole.machine.devices.empty(),
                                                      .spare_processors = false});
}

RunTelemetry TelemetrySum::whole() const {
  RunTelemetry whole = sum_;
  whole.schema = kTelemetrySchema;
  whole.run.started = iso_time(origin_);
  whole.run.seconds = length_of(running_);
  std::set<std::string> hosts;
  std::uint64_t processors = 0;
  for (const auto& [host, count] : processors_) {
    hosts.insert(host);
    processors += count;
  }
  whole.machine.host = list_of(hosts);
  whole.machine.processor = list_of(processor_names_);
  whole.machine.driver = list_of(drivers_);
  whole.machine.processors = processors;
  whole.settings.gpus.assign(gpus_.begin(), gpus_.end());
  whole.workload.sequences_known = 0;
  finish_rates(whole);
  finish_stages(whole);
  finish_units(whole);
  finish_verdicts(whole);
  const std::uint64_t samples = whole.monitor.samples.value_or(0);
  const std::uint64_t written = whole.monitor.written.value_or(0);
  whole.monitor.failure = written < samples
                              ? fmt::format("{} of {} measurements are not in the logs",
                                            grouped(samples - written), grouped(samples))
                              : "";
  whole.shards = parts_;
  return whole;
}

}  // namespace virnucpro

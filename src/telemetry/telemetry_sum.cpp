#include "telemetry/telemetry_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/text.hpp"
#include "telemetry/bottlenecks.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {
namespace {

using Count = RunTelemetry::Count;
using Number = RunTelemetry::Number;
using Text = RunTelemetry::Text;

constexpr std::size_t kLongestList = 3'000;  // the most bytes of a list of names

template <typename T>
void add_to(std::optional<T>& sum, const std::optional<T>& more) {
  if (more) sum = sum.value_or(T{}) + *more;
}

template <typename T>
void keep_most(std::optional<T>& most, const std::optional<T>& other) {
  if (other && (!most || *other > *most)) most = other;
}

template <typename T>
void keep_least(std::optional<T>& least, const std::optional<T>& other) {
  if (other && (!least || *other < *least)) least = other;
}

double or_zero(const Number& number) {
  return number.value_or(0);
}
double or_zero(const Count& count) {
  return static_cast<double>(count.value_or(0));
}

double quotient(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

void combine(RunTelemetry::Statistic& sum, const RunTelemetry::Statistic& more) {
  const auto plain = [](const RunTelemetry::Statistic& one) {
    return Statistic{.count = one.average ? std::max<std::uint64_t>(one.samples.value_or(1), 1) : 0,
                     .mean = or_zero(one.average),
                     .min = or_zero(one.minimum),
                     .max = or_zero(one.maximum)};
  };
  const Statistic both = combined(plain(sum), plain(more));
  if (both.count == 0) return;
  sum = {.average = both.mean, .minimum = both.min, .maximum = both.max, .samples = both.count};
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

template <typename Phase>
Phase& phase_of(std::vector<Phase>& phases, const Text& name) {
  const auto found = std::ranges::find(phases, name, &Phase::phase);
  if (found != phases.end()) return *found;
  phases.emplace_back().phase = name;
  return phases.back();
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
  RunTelemetry::Workload& sum = sum_.workload;
  double computing = 0;
  for (const MeasuredSession& session : sessions) {
    const RunTelemetry::Workload& one = session.telemetry.workload;
    add_to(sum.esm_tokens, one.esm_tokens);
    add_to(sum.dna_tokens, one.dna_tokens);
    add_to(sum.batches, one.batches);
    add_to(part.esm_tokens, one.esm_tokens);
    add_to(part.seconds, session.telemetry.run.seconds);
    computing += computing_seconds(session.telemetry);
  }
  part.esm_tokens_per_second = quotient(or_zero(part.esm_tokens), computing);
  const RunTelemetry* const finished = finished_one(sessions);
  if (finished == nullptr) return;
  const RunTelemetry::Workload& last = finished->workload;
  add_to(sum.sequences, last.sequences);
  add_to(sum.sequences_scored, last.sequences_scored);
  add_to(sum.bases, last.bases);
  add_to(sum.chunks, last.chunks);
  add_to(sum.one_chunk_sequences, last.one_chunk_sequences);
  add_to(sum.chunks_with_frames, last.chunks_with_frames);
  add_to(sum.frames, last.frames);
  add_to(sum.frames_scored, last.frames_scored);
  part.sequences = last.sequences_scored;
}

void TelemetrySum::add_session(const MeasuredSession& session, Names& names) {
  const RunTelemetry& one = session.telemetry;
  if (session.has_summary) add_machine(one.machine, names);
  sum_.run.resumed = sum_.run.resumed.value_or(false) || one.run.resumed.value_or(false);
  add_time(session);
  add_stages(one.stages);
  add_workers(one.workers, names);
  add_devices(one.devices, names);
  add_host(one.host);
  add_calls(one);
  packed_tokens_ += or_zero(one.packing.efficiency) * or_zero(one.packing.budget_tokens);
  add_to(sum_.packing.budget_tokens, one.packing.budget_tokens);
  keep_least(sum_.packing.least, one.packing.least);
  add_to(sum_.packing.batches_below_80_percent, one.packing.batches_below_80_percent);
  waited_ += or_zero(one.waits.average_seconds) * or_zero(one.workload.batches);
  keep_most(sum_.waits.p50_seconds, one.waits.p50_seconds);
  keep_most(sum_.waits.p95_seconds, one.waits.p95_seconds);
  keep_most(sum_.waits.max_seconds, one.waits.max_seconds);
  add_to(sum_.waits.queue.starved, one.waits.queue.starved);
  add_to(sum_.waits.queue.normal, one.waits.queue.normal);
  add_to(sum_.waits.queue.full, one.waits.queue.full);
  add_to(sum_.monitor.samples, one.monitor.samples);
  add_to(sum_.monitor.written, one.monitor.written);
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
  keep_most(sum_.run.models_ready_seconds, one.run.models_ready_seconds);
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
    RunTelemetry::Worker& sum = workers_[labelled(worker.name, names)];
    add_to(sum.batches, worker.batches);
    add_to(sum.frames, worker.frames);
    add_to(sum.esm_tokens, worker.esm_tokens);
    add_to(sum.busy_seconds, worker.busy_seconds);
    add_to(sum.waiting_seconds, worker.waiting_seconds);
    keep_most(sum.memory_reserved_bytes, worker.memory_reserved_bytes);
    keep_most(sum.memory_used_bytes, worker.memory_used_bytes);
    keep_most(sum.memory_peak_bytes, worker.memory_peak_bytes);
  }
}

void TelemetrySum::add_devices(const std::vector<RunTelemetry::Device>& devices, Names& names) {
  for (const RunTelemetry::Device& device : devices) {
    RunTelemetry::Device& sum = devices_[labelled(device.id, names)];
    add_to(sum.rows, device.rows);
    add_to(sum.nvml_rows, device.nvml_rows);
    combine(sum.ecc_errors, device.ecc_errors);
    std::set<std::string> reasons;
    add_words(sum.throttle_reasons, reasons);
    if (!sum.throttle_reasons ||
        sum.throttle_reasons->find(device.throttle_reasons.value_or("")) == std::string::npos) {
      add_words(device.throttle_reasons, reasons);
    }
    sum.throttle_reasons = list_of(reasons);
    for (const RunTelemetry::DevicePhase& phase : device.phases) {
      if (!phase_named(phase.phase.value_or(""))) continue;
      RunTelemetry::DevicePhase& known = phase_of(sum.phases, phase.phase);
      combine(known.utilization_percent, phase.utilization_percent);
      combine(known.memory_used_bytes, phase.memory_used_bytes);
      combine(known.power_w, phase.power_w);
      combine(known.temperature_c, phase.temperature_c);
      combine(known.sm_clock_mhz, phase.sm_clock_mhz);
    }
  }
}

void TelemetrySum::add_host(const RunTelemetry::Host& host) {
  RunTelemetry::Host& sum = sum_.host;
  for (const RunTelemetry::HostPhase& phase : host.phases) {
    if (!phase_named(phase.phase.value_or(""))) continue;
    RunTelemetry::HostPhase& known = phase_of(sum.phases, phase.phase);
    combine(known.cpu_percent, phase.cpu_percent);
    combine(known.rss_bytes, phase.rss_bytes);
  }
  add_to(sum.cpu_seconds, host.cpu_seconds);
  add_to(sum.read_bytes, host.read_bytes);
  add_to(sum.written_bytes, host.written_bytes);
  keep_most(sum.peak_rss_bytes, host.peak_rss_bytes);
  keep_most(sum.cgroup_memory_peak_bytes, host.cgroup_memory_peak_bytes);
}

// Adds the counts, because no two sessions check the same chunk. Also adds the estimates and the
// ends of their intervals: the result is wider than an interval of the added counts.
void TelemetrySum::add_calls(const RunTelemetry& session) {
  RunTelemetry::CloseCalls& calls = sum_.close_calls;
  add_to(calls.chunks, session.close_calls.chunks);
  add_to(calls.recomputed, session.close_calls.recomputed);
  add_to(calls.frames, session.close_calls.frames);
  add_to(calls.esm_tokens, session.close_calls.esm_tokens);
  add_to(calls.changed, session.close_calls.changed);
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
    keep_least(sum.centred_cosine, one.centred_cosine);
  }
  keep_most(sum.logit_largest, one.logit_largest);
  add_to(sum.chunks, one.chunks);
  add_to(sum.sampled, one.sampled);
  add_to(sum.frames, one.frames);
  add_to(sum.esm_tokens, one.esm_tokens);
  add_to(sum.changed, one.changed);
  add_to(sum.changed_low, one.changed_low);
  add_to(sum.changed_high, one.changed_high);
  if (sum.strata.size() < one.strata.size()) sum.strata.resize(one.strata.size());
  for (std::size_t k = 0; k < one.strata.size(); ++k) {
    sum.strata[k].from_logits = one.strata[k].from_logits;
    sum.strata[k].share = one.strata[k].share;
    add_to(sum.strata[k].chunks, one.strata[k].chunks);
    add_to(sum.strata[k].sampled, one.strata[k].sampled);
    add_to(sum.strata[k].changed, one.strata[k].changed);
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

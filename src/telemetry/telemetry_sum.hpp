#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "observe/statistic.hpp"
#include "telemetry/run_telemetry.hpp"

namespace virnucpro {

// The telemetry of a session. Each start of `predict` is a session; a resumed run has several.
struct MeasuredSession {
  SystemTime started{};
  RunTelemetry telemetry{};
  bool has_summary = false;  // false if the session was killed
};

// Adds up the telemetry of a run's shards, one shard after the other. Memory grows with the number
// of GPUs and shards, not with their work.
//
// Work is added. Time is the length of the union of all sessions: parallel sessions count once, and
// time between sessions does not count. A rate is all work divided by the time in which any shard
// computed. GPUs are told apart by their UUID, because each job may name its GPU cuda:0. The median
// and p95 of the waits are only upper bounds: the largest of all sessions. The interval of changed
// calls is wider than necessary: the sum of all intervals.
class TelemetrySum {
 public:
  // `origin` is the start of the first session of all shards.
  explicit TelemetrySum(SystemTime origin) : origin_(origin) {}

  // Adds the sessions of a shard, the oldest first; `sessions` is empty without telemetry.
  void add(const std::string& shard, const std::string& directory,
           const std::vector<MeasuredSession>& sessions);

  // Returns the sum. The caller adds the facts of the merge: run, program, and the tables' counts.
  RunTelemetry whole() const;

 private:
  using Spans = std::vector<std::pair<double, double>>;  // seconds since the origin

  // Keys of a session's devices and workers, unique among all hosts.
  struct Names {
    std::string host;
    std::map<std::string, std::string> keys;  // keys by the name in the session
    const std::string& of(const std::string& name);
  };

  // Returns the key of a device or worker, and makes `name` the label of that key.
  const std::string& labelled(const RunTelemetry::Text& name, Names& names);
  void add_counts(const std::vector<MeasuredSession>& sessions, RunTelemetry::ShardPart& part);
  void add_session(const MeasuredSession& session, Names& names);
  void add_machine(const RunTelemetry::Machine& machine, Names& names);
  void add_time(const MeasuredSession& session);
  void add_stages(const std::vector<RunTelemetry::Stage>& stages);
  void add_workers(const std::vector<RunTelemetry::Worker>& workers, Names& names);
  void add_devices(const std::vector<RunTelemetry::Device>& devices, Names& names);
  void add_calls(const RunTelemetry& session);
  void add_verdicts(const std::vector<RunTelemetry::Verdict>& verdicts, const std::string& shard);

  static double length_of(Spans spans);
  std::string label_of(const std::string& key) const;
  void finish_rates(RunTelemetry& whole) const;
  void finish_stages(RunTelemetry& whole) const;
  void finish_units(RunTelemetry& whole) const;
  void finish_verdicts(RunTelemetry& whole) const;

  SystemTime origin_;
  RunTelemetry sum_;  // sums, and the largest or smallest values
  std::vector<RunTelemetry::ShardPart> parts_;
  Spans running_;
  Spans computing_;
  double summed_seconds_ = 0;  // seconds of all sessions
  double frames_ = 0;          // sum of each session's rate times its computing seconds
  double packed_tokens_ = 0;
  double waited_ = 0;  // sum of each session's average wait times its batches
  RateSeries frames_over_time_;
  RateSeries tokens_over_time_;
  std::map<std::string, std::uint64_t> processors_;  // number of processors by host
  std::set<std::string> processor_names_;
  std::set<std::string> drivers_;
  std::set<std::uint64_t> gpus_;
  std::map<std::string, std::string> labels_;  // of devices and workers by key: "cuda:0"
  std::map<std::string, RunTelemetry::MachineDevice> machine_devices_;
  std::map<std::string, RunTelemetry::Device> devices_;
  std::map<std::string, RunTelemetry::Worker> workers_;
  struct Stage {
    std::string name;
    std::string clock;
    double seconds = 0;
    double tokens = 0;
    double utilization = 0;  // percent times seconds
    double measured = 0;     // seconds with utilization
  };
  std::vector<Stage> stages_;
  struct WorstVerdict {
    RunTelemetry::Verdict verdict;
    std::string shard;
    std::size_t shards = 0;  // shards with this status
  };
  std::vector<WorstVerdict> verdicts_;
};

}  // namespace virnucpro

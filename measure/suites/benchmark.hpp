#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "measure/datasets/data_set.hpp"
#include "measure/timing/predict_trial.hpp"
#include "report/page.hpp"
#include "run/settings.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

struct BenchmarkSettings {
  std::filesystem::path program{};  // this program, which is measured
  std::filesystem::path output{};   // an existing folder
  ModelSettings models{};
  std::vector<std::string> model_arguments{};    // arguments of predict for the same models
  std::vector<std::string> encoder_arguments{};  // arguments of profile for the encoders
  std::vector<std::string> tune_arguments{};     // arguments of tune for the same models and device
  DataSize size{};
  std::vector<std::filesystem::path> samples{};  // real sequences instead of made-up ones
  bool quick = false;                            // true: one repeat of each run
  std::vector<GpuId> gpus{};                     // empty: the CPU
  std::size_t threads = 1;
  std::size_t cpu_workers = 1;  // worker processes of whole runs on the CPU
  std::string precision{};      // "fp16"
  std::uint64_t chunk_size = 500;
  std::filesystem::path baseline{};  // path of a StoredBaseline; empty: none
  std::string baseline_remark{};     // from StoredBaseline::remark_on()
  std::string why_no_baseline =
      "no baseline was given (--vanilla-baseline)";  // if `baseline` is empty
  std::string vanilla_command{};  // runs the original on $INPUT into $OUTPUT; empty: none
  Thresholds thresholds{};
  // The most sequences in the runs from which longer times are projected. A larger data set is also
  // run once as a whole.
  std::uint64_t most_projected_from = 200'000;
  ChildRunner run = run_child;  // starts the program, and the original
};

enum class Better : std::uint8_t { kHigher, kLower, kSame };

// A figure that later benchmarks are compared with.
struct Metric {
  std::string key;  // "scaling.2.esm_tokens_per_second"
  std::string label;
  Measure unit = Measure::kNone;
  Better better = Better::kHigher;
  std::vector<double> values;  // the values of all repeats, at least one
  // True if the figure is the same on every machine, such as a number of tokens. One run is enough.
  bool counted = false;
};

struct SuiteReport {
  std::string name{};
  Section section{};  // the suite's part of the report
  std::vector<Verdict> verdicts{};
  std::vector<Metric> metrics{};
  bool brief = false;     // true: its runs were too short for a reliable rate
  double seconds = 0;     // the suite's duration
  std::string failure{};  // why the suite failed; empty if it did not
};

// Figures with fixed names in v2's benchmark files.
struct V2Figures {
  struct Stage {
    double seconds = 0;
    double sequences_per_second = 0;
    std::optional<double> gpu_percent{};
  };
  struct Equivalence {
    bool predictions_match = false;
    double max_difference = 0;
    double mean_difference = 0;
    bool within_tolerance = false;
  };

  std::map<std::size_t, double> seconds_by_gpus{};
  std::map<std::size_t, double> speedup_by_gpus{};
  std::map<std::string, Stage> stages{};
  std::map<std::string, double> memory{};  // "peak", "average": GB; "efficiency": percent
  std::optional<Equivalence> equivalence{};
  std::optional<double> total_seconds{};  // time of the largest run, start to exit
  std::optional<double> projected_10k_hours{};
  std::optional<double> projected_hours{};  // time of kProjectedReads reads
};

// Largest share of a run's time for loading models and writing tables. A larger share would distort
// the run's scaling.
inline constexpr double kMostLoadingShare = 0.05;

// State that all suites share: the trials, their data, and the figures.
struct SuiteContext {
  const BenchmarkSettings& settings;
  PredictTrials& trials;
  const Cancel& cancel;
  V2Figures& v2;
  std::function<void(const std::string&)> say{};  // tells the user what is being done
  std::optional<Trial> kept_run{};                // the result of whole_run()
  std::optional<Trial> kept_long_run{};           // the result of long_run()

  bool on_gpu() const { return !settings.gpus.empty(); }
  std::size_t repeats() const { return settings.quick ? 1 : 3; }
  // Returns arguments for a run with `workers` workers: GPUs, or processes with one thread each.
  std::vector<std::string> worker_arguments(std::size_t workers) const;
  // Returns arguments for a run with all workers. They leave --margin at its default, so that the
  // measured speed is the speed that users get. Only runs in fp32, runs for the verdict PRECISION,
  // and runs of tune have --margin 0.
  std::vector<std::string> whole_run_arguments() const;
  // Returns arguments for a whole run in fp32. They override the precision in model_arguments.
  std::vector<std::string> fp32_run_arguments() const;
  // Returns the call for a run over the whole data set with all workers.
  TrialCall whole_run_call(std::string name) const;
  // Returns the result of whole_run_call(), which the suites share.
  const Trial& whole_run();
  // Returns how many sequences a run needs to show how memory grows. On several GPUs, loading must
  // also take at most kMostLoadingShare of the run, unless the run would take over 600 s. On the
  // CPU, with --quick and for real samples, returns the number of sequences in the data set.
  std::uint64_t long_run_sequences();
  // Returns the result of a run over long_run_sequences() with all workers, which the suites share.
  const Trial& long_run();
  // Returns files with `sequences` sequences in all: the first ones of the samples, or made-up
  // sequences with the data size's lengths, each with a stop-free frame. If all samples are wanted
  // and `files` is 1, returns the samples' own files.
  std::vector<std::filesystem::path> data(std::uint64_t sequences, std::size_t files = 1) const;
  // Returns files of made-up sequences of these lengths, even if there are samples.
  std::vector<std::filesystem::path> made_up(const LengthDistribution& lengths,
                                             std::uint64_t sequences, std::size_t files = 1) const;
  // Returns the sequences of data() in a single file.
  std::filesystem::path data_file(std::uint64_t sequences) const;
  // Returns why runs with this computing time are too short for a rate; empty if they are not.
  std::string why_brief(double computing_seconds) const;

 private:
  std::vector<std::filesystem::path> first_samples(std::uint64_t sequences,
                                                   std::size_t files) const;
};

// Returns trials that write into the folder `folder` of settings.output.
PredictTrials trials_in(const BenchmarkSettings& settings, const char* folder,
                        const Cancel& cancel);

// Returns an error's text, without the summary of kBenchmark in front.
std::string reason_of(const Error& error);

struct SuiteEntry {
  std::string_view name;
  std::string_view title;
  void (*run)(SuiteContext& context, SuiteReport& report);
  std::string_view ids;  // ids of its verdicts: "PERF-03,SCALING"
};

// Returns the suites in the order of running.
std::span<const SuiteEntry> suite_table();
// Returns the suites of a list of names ("scaling,memory", "all", v2's "v2-scaling"), each once, in
// the table's order. Errors: kUsage, naming the known suites.
std::vector<const SuiteEntry*> find_suites(std::string_view names);

bool is_listed(std::string_view name, std::string_view list);
// Throws kUsage for an unknown id; kNotJudged for an id that none of the suites judges.
void check_required(std::string_view ids, const std::vector<const SuiteEntry*>& suites);

struct BenchmarkResults {
  std::vector<SuiteReport> suites;
  V2Figures v2;
  std::string driver{};  // version of the GPUs' driver; empty: no GPU
  Statistic clock{};     // SM clock of the GPUs while they computed, MHz
};

// Runs the suites one after the other. A suite that fails says so in its report, and the others
// still run. When cancelled, returns the results so far.
BenchmarkResults run_benchmark(const BenchmarkSettings& settings,
                               const std::vector<const SuiteEntry*>& suites, const Cancel& cancel,
                               const std::function<void(const std::string&)>& say);

}  // namespace virnucpro

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
#include "report/page.hpp"
#include "run/settings.hpp"
#include "telemetry/verdicts.hpp"
#include "validate/datasets/data_size.hpp"
#include "validate/measure/predict_trial.hpp"

namespace virnucpro {

struct BenchmarkSettings {
  std::filesystem::path program{};  // whose runs are measured: this one
  std::filesystem::path output{};   // a folder that is there
  ModelSettings models{};
  std::vector<std::string> model_arguments{};    // the same on predict's command line
  std::vector<std::string> encoder_arguments{};  // of profile's
  DataSize size{};
  std::vector<std::filesystem::path> samples{};  // real sequences in place of made-up ones
  bool quick = false;                            // one repeat of each run
  std::vector<GpuId> gpus{};                     // none: the CPU
  std::size_t threads = 1;
  std::size_t cpu_workers = 1;  // of whole runs on the CPU
  std::string precision{};      // "fp16"
  std::uint64_t chunk_size = 500;
  std::filesystem::path baseline{};  // results of the original: what compare takes
  std::string vanilla_command{};     // runs the original on $INPUT into $OUTPUT; empty: not there
  Thresholds thresholds{};
  ChildRunner run = run_child;  // how the program, and the original, are run
};

enum class Better : std::uint8_t { kHigher, kLower };

// A figure that a later benchmark is held against.
struct Metric {
  std::string key;  // "scaling.2.esm_tokens_per_second"
  std::string label;
  Measure unit = Measure::kNone;
  Better better = Better::kHigher;
  std::vector<double> values;  // of the repeats, one at least
};

// What a suite found.
struct SuiteReport {
  std::string name{};
  Section section{};  // of the page
  std::vector<Verdict> verdicts{};
  std::vector<Metric> metrics{};
  bool brief = false;     // its runs were too short to tell a rate: nothing is judged by them
  double seconds = 0;     // that it took
  std::string failure{};  // why it could not be run, or not to its end; else empty
};

// Figures that v2's benchmark files have by fixed names.
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
  std::optional<double> total_seconds{};  // of the largest run from end to end
  std::optional<double> projected_10k_hours{};
};

// What suites share: how trials are run, on which data, and where figures are kept.
struct SuiteContext {
  const BenchmarkSettings& settings;
  PredictTrials& trials;
  const Cancel& cancel;
  V2Figures& v2;
  std::function<void(const std::string&)> say{};  // what is being done, for the user
  std::optional<Trial> kept_run{};                // whole_run()'s

  bool on_gpu() const { return !settings.gpus.empty(); }
  std::size_t repeats() const { return settings.quick ? 1 : 3; }
  // Words that give a run so many of the workers there are: GPUs, or processes of a thread each.
  std::vector<std::string> worker_arguments(std::size_t workers) const;
  // All of them, as a run takes them by itself.
  std::vector<std::string> whole_run_arguments() const;
  // A run over all of the data set on all that there is; the suites that look at one share it.
  const Trial& whole_run();
  // Files of so many sequences of a chunk's length, each with a stop-free frame; or of the first so
  // many of the samples, all of which are the samples themselves.
  std::vector<std::filesystem::path> data(std::uint64_t sequences, std::size_t files = 1) const;
  // The same as a single file.
  std::filesystem::path data_file(std::uint64_t sequences) const;

 private:
  std::vector<std::filesystem::path> first_samples(std::uint64_t sequences,
                                                   std::size_t files) const;
};

// Why a part could not be run, without saying again that it was one of a benchmark.
std::string reason_of(const Error& error);

struct SuiteEntry {
  std::string_view name;
  std::string_view title;
  void (*run)(SuiteContext& context, SuiteReport& report);
};

// In the order in which they are run.
std::span<const SuiteEntry> suite_table();
// Those that a list of names means ("scaling,memory", "all", v2's "v2-scaling"), each once, in the
// table's order. Errors: kUsage, naming those there are.
std::vector<const SuiteEntry*> find_suites(std::string_view names);

struct BenchmarkResults {
  std::vector<SuiteReport> suites;
  V2Figures v2;
  std::string driver{};  // of the GPUs; empty: none was seen
  Statistic clock{};     // of the GPUs, MHz, while they computed
};

// Runs the suites one after the other. One that cannot be run says so in its report, and does not
// keep the others from being run. Cancelled, it gives what there is.
BenchmarkResults run_benchmark(const BenchmarkSettings& settings,
                               const std::vector<const SuiteEntry*>& suites, const Cancel& cancel,
                               const std::function<void(const std::string&)>& say);

}  // namespace virnucpro

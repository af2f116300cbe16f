#include "telemetry/metrics_file.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <utility>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "run/shadow_check.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::string_view, 3> kStates{"running", "finished", "failed"};

// Escapes a label for Prometheus's text format 0.0.4. The result is UTF-8, whatever the label is.
std::string escaped_label(std::string_view label) {
  std::string text;
  for (const char letter : printable(label)) {
    if (letter == '\\' || letter == '"') text += '\\';
    text += letter;
  }
  return text;
}

class MetricsText {
 public:
  explicit MetricsText(const std::string& run)
      : run_(fmt::format("run=\"{}\"", escaped_label(run))) {}

  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP virnucpro_{0} {2}\n# TYPE virnucpro_{0} {1}\n", name, type, help);
  }
  template <typename T>
  void value(T value, const std::string& labels = {}) {
    text_ += fmt::format("virnucpro_{}{{{}{}}} {}\n", name_, run_, labels, value);
  }
  void counter(std::string_view name, std::string_view help, std::uint64_t count) {
    begin(name, "counter", help);
    value(count);
  }
  std::string finish() { return std::move(text_); }

 private:
  std::string run_;
  std::string_view name_;
  std::string text_;
};

void add_counts(MetricsText& text, const RunCounters& counters) {
  text.counter("sequences_total", "Sequences read.", counters.sequences.get());
  text.counter("sequences_known_total", "Sequences scored before the run was resumed.",
               counters.sequences_known.get());
  text.counter("bases_total", "Letters of the sequences read.", counters.bases.get());
  text.counter("chunks_total", "Chunks cut from the sequences.", counters.chunks.get());
  text.counter("frames_total", "Stop-free frames.", counters.frames.get());
  text.counter("frames_scored_total", "Frames with scores.", counters.frames_scored.get());
}

void add_checked(MetricsText& text, const RunCounters& counters) {
  const CloseCallCounters& calls = counters.close_calls;
  text.counter("close_calls_total",
               "Chunks computed again, because a small error could change their call or their "
               "contig's call, or because a score was not finite.",
               calls.recomputed.get());
  text.counter("close_calls_changed_total",
               "Chunks whose call changed when they were computed again.", calls.changed.get());
  const auto by_stratum = [&](std::string_view name, std::string_view help, auto counter) {
    text.begin(name, "counter", help);
    for (std::size_t i = 0; i < kShadowStrata; ++i) {
      text.value((counters.shadow.strata.at(i).*counter).get(), fmt::format(",stratum=\"{}\"", i));
    }
  };
  using Stratum = ShadowCounters::Stratum;
  by_stratum("shadow_chunks_total",
             "Chunks that were not computed again, by stratum (0 has the closest calls).",
             &Stratum::chunks);
  by_stratum("shadow_sampled_total", "Chunks that the shadow check compared, by stratum.",
             &Stratum::sampled);
  by_stratum("shadow_changed_total",
             "Compared chunks whose call differs in the check precision, by stratum.",
             &Stratum::changed);
}

// Adds the shadow check's estimate for all calls that were not computed again.
void add_estimate(MetricsText& text, const ShadowCounters& shadow, double share) {
  const ShadowEstimate estimate = shadow_estimate(shadow, share);
  const auto gauge = [&text](std::string_view name, std::string_view help, double value) {
    text.begin(name, "gauge", help);
    text.value(value);
  };
  gauge("shadow_changed_estimate", "Estimate of the calls that the check precision would change.",
        estimate.changed);
  gauge("shadow_changed_low", "Lower end of the 95 % interval of shadow_changed_estimate.",
        estimate.low);
  gauge("shadow_changed_high", "Upper end of the 95 % interval of shadow_changed_estimate.",
        estimate.high);
  gauge("shadow_logit_error_rms", "Root mean square error of the compared frames' logits.",
        shadow.logits.rms());
  gauge("shadow_logit_error_largest", "Largest error of the compared frames' logits.",
        shadow.logits.largest());
  const std::optional<double> cosine = shadow.embeddings.value();
  if (cosine) {
    gauge("shadow_centred_cosine", "Centred cosine of ESM-2's embeddings of the compared frames.",
          *cosine);
  }
}

void add_computed(MetricsText& text, const PipelineSummary& pipeline) {
  const BatchTotals& totals = pipeline.totals;
  text.counter("batches_total", "Batches computed.", totals.batches);
  text.counter("esm_tokens_total", "Tokens that ESM-2 computed.", totals.esm_tokens);
  text.counter("dna_tokens_total", "Tokens that DNABERT-S computed.", totals.dna_tokens);
  text.counter("budget_tokens_total", "Sum of the batches' token budgets.", totals.budget_tokens);
  const auto by_worker = [&](std::string_view name, std::string_view help, auto seconds) {
    text.begin(name, "counter", help);
    for (std::size_t i = 0; i < pipeline.workers.size(); ++i) {
      text.value(seconds(pipeline.workers[i].times), fmt::format(",worker=\"{}\"", i));
    }
  };
  by_worker("busy_seconds_total", "Time in which a worker computed.",
            [](const BatchTimes& times) { return times.busy(); });
  by_worker("waiting_seconds_total", "Time in which a worker waited for a batch.",
            [](const BatchTimes& times) { return times.waiting; });
}

void add_calls(MetricsText& text, const TableCounts& calls) {
  const auto gauge = [&text](std::string_view name, std::string_view help, std::uint64_t count) {
    text.begin(name, "gauge", help);
    text.value(count);
  };
  gauge("virus_sequences", "Sequences called virus by the run's rule.", calls.virus_sequences);
  gauge("other_sequences", "Sequences called others.", calls.others());
  gauge("ambiguous_sequences", "Sequences called ambiguous.", calls.ambiguous_sequences);
  gauge("unscored_sequences", "Sequences without a score.", calls.unscored_sequences);
}

}  // namespace

std::string metrics_text(const RunCounters& counters, const MetricsRun& run, std::string_view state,
                         const std::optional<TableCounts>& calls) {
  MetricsText text(run.name);
  text.begin("state", "gauge", "1 for the run's present state, 0 for other states.");
  for (const std::string_view other : kStates) {
    text.value(other == state ? 1 : 0, fmt::format(",state=\"{}\"", other));
  }
  text.begin("run_seconds", "gauge", "Seconds since the run began.");
  text.value(counters.pipeline.seconds());
  text.begin("workers", "gauge", "Workers that are computing.");
  text.value(counters.workers.get());
  add_counts(text, counters);
  add_checked(text, counters);
  if (run.shadow > 0) add_estimate(text, counters.shadow, run.shadow);
  add_computed(text, counters.pipeline.summary());
  if (calls) add_calls(text, *calls);
  return text.finish();
}

MetricsFile::MetricsFile(std::filesystem::path path, MetricsRun run, const RunCounters& counters,
                         std::chrono::milliseconds interval)
    : path_(std::move(path)), run_(std::move(run)), counters_(counters) {
  write("running");
  repeater_.emplace(interval, [this] { write("running"); });
}

MetricsFile::~MetricsFile() {
  repeater_.reset();
  write(calls_ ? "finished" : "failed");
}

void MetricsFile::write(std::string_view state) {
  try {
    AtomicFile file(path_);
    file.write(metrics_text(counters_, run_, state, calls_));
    file.commit();
  } catch (const std::exception& error) {
    if (!std::exchange(warned_, true)) log_warning("{}", error.what());
  }
}

}  // namespace virnucpro

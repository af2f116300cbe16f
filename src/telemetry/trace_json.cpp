#include "telemetry/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/version.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::string_view, kTraceKinds> kCategories{"host", "kernel", "copy"};
constexpr std::string_view kBatchTrack = "GPU, batches";

double seconds_of(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

// Returns microseconds such as "12.345", without rounding.
std::string microseconds(std::uint64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

// The time from a batch's first kernel on its GPU to the end of its last kernel.
struct BatchSpan {
  std::uint64_t begin = kNoBatch;
  std::uint64_t end = 0;
  std::uint64_t kernels = 0;
};

std::map<std::uint64_t, BatchSpan> batch_spans(const TracePart& part) {
  std::map<std::uint64_t, BatchSpan> spans;
  for (const TraceEvent& event : part.events) {
    if (event.batch == kNoBatch || part.names[event.name].kind != TraceKind::kKernel) continue;
    BatchSpan& span = spans[event.batch];
    span.begin = std::min(span.begin, event.begin);
    span.end = std::max(span.end, event.end);
    ++span.kernels;
  }
  return spans;
}

class TraceWriter {
 public:
  TraceWriter(const Trace& trace, const std::function<void(std::string_view)>& sink)
      : trace_(trace), sink_(sink) {}

  void write() {
    sink_(fmt::format(R"({} {}","seconds":{:.6f},"reached_limit":{},"processes":[)",
                      kTraceFileStart, program_version(), seconds_of(trace_.end - trace_.begin),
                      trace_.reached_limit));
    for (const Trace::Process& process : trace_.processes) describe(process);
    sink_("\n]},\"traceEvents\":[");
    is_first_ = true;
    for (const Trace::Process& process : trace_.processes) {
      name_tracks(process);
      write_events(process);
      write_batches(process);
    }
    sink_("\n]}\n");
  }

 private:
  // Adds an element to the list, on its own line.
  void add(const std::string& element) {
    sink_(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    sink_(element);
  }

  void describe(const Trace::Process& process) {
    const TracePart& part = process.part;
    add(fmt::format(R"({{"pid":{},"name":{},"kernels":{},"events":{},"events_dropped":{},)"
                    R"("recording_seconds":{:.6f},"cupti_seconds":{:.6f}}})",
                    process.id, json_text(process.name), json_text(part.kernels),
                    part.events.size(), part.dropped, seconds_of(part.recording_time),
                    seconds_of(part.cupti_time)));
  }

  void add_name(const Trace::Process& process, std::string_view what, std::size_t track,
                std::string_view name) {
    add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                    process.id, track, json_text(name)));
  }

  void name_tracks(const Trace::Process& process) {
    add_name(process, "process_name", 0, process.name);
    for (std::size_t track = 0; track < process.part.tracks.size(); ++track) {
      add_name(process, "thread_name", track + 1, process.part.tracks[track]);
    }
  }

  void write_events(const Trace::Process& process) {
    const TracePart& part = process.part;
    // Sort the events, so that an inner event follows the event that encloses it.
    std::vector<TraceEvent> events = part.events;
    std::sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    for (const TraceEvent& event : events) {
      const TraceName& name = part.names[event.name];
      const std::string arguments =
          event.batch == kNoBatch ? "" : fmt::format(R"("batch":{})", event.batch);
      add_span(process, event.track + std::size_t{1}, name.text,
               kCategories.at(static_cast<std::size_t>(name.kind)), event.begin, event.end,
               arguments);
    }
  }

  void write_batches(const Trace::Process& process) {
    const std::size_t track = process.part.tracks.size() + 1;
    const std::map<std::uint64_t, BatchSpan> spans = batch_spans(process.part);
    if (!spans.empty()) add_name(process, "thread_name", track, kBatchTrack);
    for (const auto& [batch, span] : spans) {
      add_span(process, track, fmt::format("batch {}", batch), "batch", span.begin, span.end,
               fmt::format(R"("batch":{},"kernels":{})", batch, span.kernels));
    }
  }

  void add_span(const Trace::Process& process, std::size_t track, std::string_view name,
                std::string_view category, std::uint64_t begin, std::uint64_t end,
                std::string_view arguments) {
    // GPU times are converted to the host's clock, so they may lie before the recording's start.
    begin = std::max(begin, trace_.begin);
    end = std::max(end, begin);
    const std::uint64_t since = begin - trace_.begin;
    add(fmt::format(
        R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        json_text(name), category, process.id, track, microseconds(since),
        microseconds(end - begin), arguments));
  }

  const Trace& trace_;
  const std::function<void(std::string_view)>& sink_;
  bool is_first_ = true;
};

}  // namespace

void write_trace(const Trace& trace, const std::function<void(std::string_view)>& sink) {
  TraceWriter(trace, sink).write();
}

}  // namespace virnucpro

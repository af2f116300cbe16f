#include "telemetry/trace_file.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "base/file.hpp"
#include "base/log.hpp"
#include "telemetry/trace_json.hpp"

namespace virnucpro {
namespace {

constexpr std::chrono::milliseconds kLookAtLimit{200};

void log_costs(const Trace& trace, const std::filesystem::path& path) {
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  std::uint64_t costs = 0;  // nanoseconds
  for (const Trace::Process& process : trace.processes) {
    events += process.part.events.size();
    dropped += process.part.dropped;
    costs += process.part.recording_time + process.part.cupti_time;
  }
  log_info("trace: {} events of {} processes are in {}; recording them took {:.1f} ms of {:.1f} s",
           events, trace.processes.size(), path.string(), static_cast<double>(costs) * 1e-6,
           static_cast<double>(trace.end - trace.begin) * 1e-9);
  if (dropped == 0) return;
  log_warning(
      "trace: {} events are missing, because there were too many: trace fewer batches "
      "(--trace-limit)",
      dropped);
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path path, TraceSettings settings) : path_(std::move(path)) {
  const AtomicFile attempt(path_);  // throws now, before the run, if the trace cannot be written
  Tracer::here().start(std::move(settings));
  watcher_.emplace(kLookAtLimit, [this] {
    if (Tracer::here().has_reached_limit()) end();
  });
}

TraceFile::~TraceFile() {
  watcher_.reset();
  end();
}

void TraceFile::end() noexcept {
  if (std::exchange(ended_, true)) return;
  Tracer::here().stop();
  try {
    write();
  } catch (const std::exception& error) {
    log_warning("the trace could not be written: {}", error.what());
  }
}

void TraceFile::write() const {
  const Trace trace = Tracer::here().drain_all();
  AtomicFile file(path_);
  write_trace(trace, [&file](std::string_view text) { file.write(text); });
  file.commit();
  log_costs(trace, path_);
}

}  // namespace virnucpro

#include "observe/trace.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "observe/cupti.hpp"

namespace virnucpro {
namespace {

// Returns the name and id that the calling thread had at its first span: "journal 4711".
const std::string& thread_track() {
  thread_local const std::string track = [] {
    std::array<char, 16> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    const bool is_main = ::gettid() == ::getpid();
    return fmt::format("{} {}", is_main ? "main" : name.data(), ::gettid());
  }();
  return track;
}

}  // namespace

// The tracer is never destroyed, because threads may still run when static objects are destroyed.
Tracer& Tracer::here() {
  static auto* const tracer = new Tracer;
  return *tracer;
}

void Tracer::start(TraceSettings settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  cupti_.reset();
  store_ = {};
  others_.clear();
  begin_ = trace_now();
  first_batch_.reset();
  end_batch_ = kNoBatch;
  open_batches_ = 0;
  reached_limit_ = false;
  is_on_ = true;
}

void Tracer::trace_kernels() {
  cupti_ = std::make_unique<Cupti>(settings().cupti);
  const std::string failure = cupti_->failure();
  const std::string kernels = failure.empty()
                                  ? fmt::format("CUPTI, API version {}", cupti_->version())
                                  : "none: " + failure;
  if (!failure.empty()) {
    cupti_.reset();
    log_warning(
        "the trace has no GPU kernels: {}; install CUPTI (libcupti.so.13, of the CUDA toolkit or "
        "`pip install nvidia-cuda-cupti`) where the loader finds it, or set VIRNUCPRO_CUPTI to its "
        "path",
        failure);
  }
  const std::lock_guard lock(mutex_);
  store_.set_kernels(kernels);
}

void Tracer::stop() {
  if (cupti_) {
    cupti_->stop();
    collect_kernels();
    cupti_.reset();
  }
  const std::lock_guard lock(mutex_);
  end();
}

void Tracer::end() {
  if (is_on_.exchange(false)) end_ = trace_now();
}

TraceSettings Tracer::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Tracer::record(const char* name, std::uint64_t begin, std::uint64_t batch) noexcept {
  const std::uint64_t end = trace_now();
  try {
    const std::string& track = thread_track();
    const std::lock_guard lock(mutex_);
    const bool is_traced = batch == kNoBatch || batch < end_batch_;
    if (!is_on() || !is_traced || begin < begin_) return;
    store_.add(track, name, TraceKind::kHost, {.begin = begin, .end = end, .batch = batch});
    store_.add_times(trace_now() - end, 0);
  } catch (const std::exception&) {  // out of memory: a trace must never make anything fail
    const std::lock_guard lock(mutex_);
    store_.drop(1);
  }
}

void Tracer::begin_launches(std::uint64_t batch) const {
  if (cupti_) cupti_->begin_launches(batch);
}

void Tracer::end_launches() const {
  if (cupti_) cupti_->end_launches();
}

bool Tracer::admit(std::uint64_t batch) {
  if (!is_on()) return false;
  const std::lock_guard lock(mutex_);
  if (!first_batch_) first_batch_ = trace_now();
  if (is_beyond_limit(batch)) {
    end_batch_ = std::min(end_batch_, batch);
    return false;
  }
  ++open_batches_;
  if (batch + 1 >= settings_.limit.batches) end_batch_ = std::min(end_batch_, batch + 1);
  return true;
}

bool Tracer::is_beyond_limit(std::uint64_t batch) const {
  const double seconds = static_cast<double>(trace_now() - *first_batch_) * 1e-9;
  return batch >= std::min(settings_.limit.batches, end_batch_) ||
         seconds >= settings_.limit.seconds;
}

void Tracer::finish(std::uint64_t batch) {
  if (!is_on()) return;
  const std::lock_guard lock(mutex_);
  if (batch < end_batch_) --open_batches_;
  if (end_batch_ == kNoBatch || open_batches_ > 0) return;
  reached_limit_ = true;
  end();
}

bool Tracer::has_reached_limit() const {
  const std::lock_guard lock(mutex_);
  return reached_limit_;
}

TracePart Tracer::drain() {
  if (cupti_) collect_kernels();
  const std::lock_guard lock(mutex_);
  return store_.drain();
}

void Tracer::collect_kernels() {
  const std::vector<GpuActivity> activities = cupti_->drain();
  const Cupti::Costs costs = cupti_->drain_costs();
  const std::uint64_t begin = trace_now();
  const std::lock_guard lock(mutex_);
  for (const GpuActivity& activity : activities) {
    store_.add(fmt::format("GPU, stream {}", activity.stream), activity.name, activity.kind,
               {.begin = activity.begin, .end = activity.end, .batch = activity.batch});
  }
  store_.drop(costs.dropped);
  store_.add_times(costs.recording + (trace_now() - begin), costs.cupti);
}

void Tracer::add(int process, const std::string& name, const TracePart& part) {
  const std::lock_guard lock(mutex_);
  if (begin_ == 0) return;
  const auto found = std::find_if(others_.begin(), others_.end(),
                                  [process](const Other& other) { return other.id == process; });
  Other& other =
      found != others_.end() ? *found : others_.emplace_back(Other{.id = process, .name = name});
  other.store.merge(part);
}

Trace Tracer::drain_all() {
  const std::lock_guard lock(mutex_);
  Trace trace{.begin = std::exchange(begin_, 0), .end = end_, .reached_limit = reached_limit_};
  TracePart own = store_.drain();
  // Remove the events of batches that later proved to be beyond the limit.
  std::erase_if(own.events, [this](const TraceEvent& event) {
    return event.batch != kNoBatch && event.batch >= end_batch_;
  });
  trace.processes.push_back({.id = ::getpid(), .name = "run", .part = std::move(own)});
  for (Other& other : others_) {
    trace.processes.push_back(
        {.id = other.id, .name = std::move(other.name), .part = other.store.drain()});
  }
  others_.clear();
  return trace;
}

}  // namespace virnucpro

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// Returns nanoseconds of CLOCK_MONOTONIC, which is the same clock in all processes of a host.
inline std::uint64_t trace_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// Marks an event that belongs to no batch.
inline constexpr std::uint64_t kNoBatch = std::numeric_limits<std::uint64_t>::max();

// Limits for one process's trace: 20 MB of memory, 60 MB of JSON. Further events are only counted.
inline constexpr std::size_t kMostTraceEvents = 1U << 19U;
inline constexpr std::size_t kMostTraceNames = 4096;
inline constexpr std::size_t kMostTraceTracks = 1024;
inline constexpr std::size_t kLongestTraceText = 200;

enum class TraceKind : std::uint8_t {
  kHost,    // run by a thread
  kKernel,  // run by a GPU
  kCopy,    // run by a GPU's copy engine; also memset
};
inline constexpr std::size_t kTraceKinds = 3;

struct TraceName {
  std::string text{};
  TraceKind kind = TraceKind::kHost;
};

// An event with a duration. Its times are those of trace_now().
struct TraceEvent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;
  std::uint32_t name = 0;   // index into the part's names
  std::uint32_t track = 0;  // index into the part's tracks
};

// All or some of the records of one process. A worker sends them to the run.
struct TracePart {
  std::vector<TraceName> names{};
  std::vector<std::string> tracks{};  // threads and streams: "journal 4711", "GPU, stream 7"
  std::vector<TraceEvent> events{};
  std::uint64_t dropped = 0;         // events lost for lack of room
  std::uint64_t recording_time = 0;  // nanoseconds spent on recording
  std::uint64_t cupti_time = 0;      // nanoseconds spent by CUPTI, as CUPTI reports
  std::string kernels{};             // "CUPTI, …", or "none: " and why; empty: no GPU
};

// Collects a TracePart, within the limits above.
class TraceStore {
 public:
  void add(std::string_view track, std::string_view name, TraceKind kind, TraceEvent event);
  // Adds the records of another store's drain(). The lists of names and tracks may differ.
  void merge(const TracePart& part);
  void drop(std::uint64_t events) { part_.dropped += events; }
  void add_times(std::uint64_t recording, std::uint64_t cupti);
  void set_kernels(std::string words) { part_.kernels = std::move(words); }

  // Returns everything recorded since the last drain().
  TracePart drain();

 private:
  using Indices = std::map<std::string, std::uint32_t, std::less<>>;

  std::uint32_t name_index(std::string_view text, TraceKind kind);
  std::uint32_t track_index(std::string_view text);

  TracePart part_;
  std::map<TraceKind, Indices> names_;
  Indices tracks_;
};

}  // namespace virnucpro

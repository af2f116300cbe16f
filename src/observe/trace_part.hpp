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

// Reads the clock of traces: CLOCK_MONOTONIC in nanoseconds, common to all processes of a host, so
// that no clock needs a correction.
inline std::uint64_t trace_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// Marks an event that belongs to no batch.
inline constexpr std::uint64_t kNoBatch = std::numeric_limits<std::uint64_t>::max();

// Limits for each process: 20 MB of memory, about 60 MB of JSON. Further events are only counted.
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

// An event with a duration. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a host
// share.
struct TraceEvent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;
  std::uint32_t name = 0;   // index into the part's names
  std::uint32_t track = 0;  // index into its tracks
};

// All or some of the records of one process. Workers send this plain data to the run.
struct TracePart {
  std::vector<TraceName> names{};
  std::vector<std::string> tracks{};  // threads and the GPU's streams: "journal 4711", "stream 7"
  std::vector<TraceEvent> events{};
  std::uint64_t dropped = 0;         // events lost for lack of room
  std::uint64_t recording_time = 0;  // nanoseconds spent on recording
  std::uint64_t cupti_time = 0;      // spent by CUPTI, as it reports
  std::string kernels{};  // what records kernels, or why they are not recorded; empty: no GPU
};

// Collects a TracePart, within the limits above.
class TraceStore {
 public:
  void add(std::string_view track, std::string_view name, TraceKind kind, TraceEvent event);
  // Adds what another store's drain() returned; its names and tracks may differ.
  void merge(const TracePart& part);
  void drop(std::uint64_t events) { part_.dropped += events; }
  void add_times(std::uint64_t recording, std::uint64_t cupti);
  void set_kernels(std::string words) { part_.kernels = std::move(words); }

  // Returns everything recorded since the last call.
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

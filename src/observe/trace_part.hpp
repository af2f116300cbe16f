#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// Of what belongs to no batch.
inline constexpr std::uint64_t kNoBatch = std::numeric_limits<std::uint64_t>::max();

// What of one process is kept: 20 MB of memory, some 60 MB of JSON. What comes after is counted.
inline constexpr std::size_t kMostTraceEvents = 1U << 19U;
inline constexpr std::size_t kMostTraceNames = 4096;
inline constexpr std::size_t kMostTraceTracks = 1024;
inline constexpr std::size_t kLongestTraceText = 200;

enum class TraceKind : std::uint8_t {
  kHost,    // a thread did it
  kKernel,  // a GPU did it
  kCopy,    // a GPU's copy engine, or its memset
};
inline constexpr std::size_t kTraceKinds = 3;

struct TraceName {
  std::string text{};
  TraceKind kind = TraceKind::kHost;
};

// Something that took time. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a host
// share.
struct TraceEvent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t batch = kNoBatch;
  std::uint32_t name = 0;   // into the part's names
  std::uint32_t track = 0;  // into its tracks
};

// What one process recorded, or a piece of it. Plain data: workers send theirs to the run.
struct TracePart {
  std::vector<TraceName> names{};
  std::vector<std::string> tracks{};  // threads and the GPU's streams: "journal 4711", "stream 7"
  std::vector<TraceEvent> events{};
  std::uint64_t dropped = 0;         // events, for want of room
  std::uint64_t recording_time = 0;  // nanoseconds that went into recording
  std::uint64_t cupti_time = 0;      // and, as CUPTI says, into its measuring
  std::string kernels{};  // who tells of kernels, or why nobody does; empty: there is no GPU
};

// Gathers a part, within the bounds above.
class TraceStore {
 public:
  void add(std::string_view track, std::string_view name, TraceKind kind, TraceEvent event);
  // What another store has drained; its names and tracks may be others.
  void merge(const TracePart& part);
  void drop(std::uint64_t events) { part_.dropped += events; }
  void add_times(std::uint64_t recording, std::uint64_t cupti);
  void set_kernels(std::string words) { part_.kernels = std::move(words); }

  // Everything since the last call.
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

#include "observe/trace_part.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Returns the index of a text in its list. A new text is appended first; kNone if the list is full.
template <typename Indices, typename Append>
std::uint32_t index_in(Indices& indices, std::string_view text, std::size_t size, std::size_t most,
                       const Append& append) {
  text = text.substr(0, kLongestTraceText);
  const auto found = indices.find(text);
  if (found != indices.end()) return found->second;
  if (size >= most) return kNone;
  append(std::string(text));
  return indices.emplace(text, static_cast<std::uint32_t>(size)).first->second;
}

}  // namespace

void TraceStore::add(std::string_view track, std::string_view name, TraceKind kind,
                     TraceEvent event) {
  event.name = name_index(name, kind);
  event.track = track_index(track);
  if (event.name == kNone || event.track == kNone || part_.events.size() >= kMostTraceEvents) {
    ++part_.dropped;
    return;
  }
  part_.events.push_back(event);
}

void TraceStore::merge(const TracePart& part) {
  for (const TraceEvent& event : part.events) {
    const TraceName& name = part.names.at(event.name);
    add(part.tracks.at(event.track), name.text, name.kind, event);
  }
  drop(part.dropped);
  add_times(part.recording_time, part.cupti_time);
  if (!part.kernels.empty()) part_.kernels = part.kernels;
}

void TraceStore::add_times(std::uint64_t recording, std::uint64_t cupti) {
  part_.recording_time += recording;
  part_.cupti_time += cupti;
}

TracePart TraceStore::drain() {
  TracePart drained = std::exchange(part_, {.names = part_.names, .tracks = part_.tracks});
  part_.kernels = drained.kernels;
  return drained;
}

std::uint32_t TraceStore::name_index(std::string_view text, TraceKind kind) {
  return index_in(names_[kind], text, part_.names.size(), kMostTraceNames, [&](std::string name) {
    part_.names.push_back({std::move(name), kind});
  });
}

std::uint32_t TraceStore::track_index(std::string_view text) {
  return index_in(tracks_, text, part_.tracks.size(), kMostTraceTracks,
                  [&](std::string name) { part_.tracks.push_back(std::move(name)); });
}

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <optional>

#include "base/threads.hpp"
#include "observe/trace.hpp"

namespace virnucpro {

// Records a run's first batches and writes them in the form of telemetry/trace_json.hpp. A thread
// of its own writes them as soon as the limit is reached. If the run ends earlier, however it ends,
// they are written then. Only the constructor throws; later failures give a warning.
class TraceFile {
 public:
  // Errors: kOutputWrite if the file cannot be made.
  TraceFile(std::filesystem::path path, TraceSettings settings);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

 private:
  void end() noexcept;
  void write() const;

  const std::filesystem::path path_;
  bool ended_ = false;  // the watcher uses it; after the watcher's end, the destructor does
  std::optional<Repeater> watcher_;  // last: it uses all of the above
};

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <optional>

#include "base/threads.hpp"
#include "observe/trace.hpp"

namespace virnucpro {

// Records a run's first batches and writes the trace (telemetry/trace_json.hpp). A separate thread
// writes the file as soon as the limit is reached. If the run ends or fails before the limit, the
// destructor writes the file. Only the constructor throws; later failures are logged as warnings.
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
  bool ended_ = false;               // used by the watcher's thread, then by the destructor
  std::optional<Repeater> watcher_;  // last, because its thread uses the members above
};

}  // namespace virnucpro

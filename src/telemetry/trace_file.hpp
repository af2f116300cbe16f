#pragma once

#include <filesystem>
#include <optional>

#include "base/repeater.hpp"
#include "observe/trace.hpp"

namespace virnucpro {

// Records a run's first batches and writes them in the form of telemetry/trace_json.hpp. Its own
// thread writes them as soon as the limit is reached; otherwise they are written when the run ends,
// in whatever way. Only the constructor has errors; later failures give a warning.
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
  bool ended_ = false;               // used by the watcher; after its end by the destructor
  std::optional<Repeater> watcher_;  // last: it uses all of the above
};

}  // namespace virnucpro

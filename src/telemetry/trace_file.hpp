#pragma once

#include <filesystem>
#include <optional>

#include "base/repeater.hpp"
#include "observe/trace.hpp"

namespace virnucpro {

// Records a run's first batches and writes them as telemetry/trace_json.hpp says, from a thread of
// its own, as soon as the limit is reached, or else when the run ends, however it does. Only what
// is wrong with the file at the beginning is an error; what goes wrong later is a warning.
class TraceFile {
 public:
  // Errors: kOutputWrite where there can be no such file.
  TraceFile(std::filesystem::path path, TraceSettings settings);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

 private:
  void end() noexcept;
  void write() const;

  const std::filesystem::path path_;
  bool ended_ = false;               // the watcher's, and once that is gone the destructor's
  std::optional<Repeater> watcher_;  // last: it uses all of the above
};

}  // namespace virnucpro

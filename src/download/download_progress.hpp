#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/terminal.hpp"
#include "base/time.hpp"
#include "download/file_hashes.hpp"
#include "telemetry/moving_rate.hpp"

namespace virnucpro {

struct TransferState {
  std::string what;  // "dnabert-s/config.json"
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total{};
  std::optional<double> bytes_per_second{};
};

// Returns "dnabert-s/config.json · 120.3 MB of 468.3 MB · 25.7 % · 11.2 MB/s · ETA 0:00:31". Leaves
// out the last fields if the text would have more than `columns` columns.
std::string transfer_text(const TransferState& state, std::size_t columns);

// Shows the progress of a file on stderr: a live line on a terminal, else a plain line every half
// minute. A file that takes less than half a minute has no plain line.
class DownloadProgress {
 public:
  explicit DownloadProgress(bool shown);
  ~DownloadProgress();
  DownloadProgress(const DownloadProgress&) = delete;
  DownloadProgress& operator=(const DownloadProgress&) = delete;

  // Begins a file whose first `done` bytes are already on disk. `total` is empty if unknown.
  void begin(const std::string& what, std::uint64_t done, std::optional<std::uint64_t> total);
  void at(std::uint64_t done);  // may be called often
  void end();
  // Prints a line about a decision or a result.
  void say(const std::string& line) const;

 private:
  void show();

  const bool shown_;
  const std::optional<CursorControl> control_;  // empty if plain lines are shown
  StopWatch watch_;
  TransferState state_;
  MovingRate rate_;
  double next_sample_ = 0;  // when the rate is sampled again
  double next_line_ = 0;    // when a line is shown again
};

// Calls hash_file() and shows "checking <name>", because hashing 10 GB takes a while.
FileHashes hash_shown(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                      const std::string& name, DownloadProgress& progress);

}  // namespace virnucpro

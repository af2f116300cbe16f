#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/stop_watch.hpp"
#include "base/terminal.hpp"
#include "download/file_hashes.hpp"
#include "telemetry/moving_rate.hpp"

namespace virnucpro {

// The progress of a file.
struct TransferState {
  std::string what;  // "dnabert-s/config.json"
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total{};
  std::optional<double> bytes_per_second{};
};

// "dnabert-s/config.json · 120.3 MB of 468.3 MB · 25.7 % · 11.2 MB/s · ETA 0:00:31", in at most
// `columns`: fields that do not fit are left out from the end.
std::string transfer_text(const TransferState& state, std::size_t columns);

// Shows the progress of a file on stderr: as a live line on a terminal, elsewhere as a plain line
// every half minute. A short file has no such line.
class DownloadProgress {
 public:
  explicit DownloadProgress(bool shown);
  ~DownloadProgress();
  DownloadProgress(const DownloadProgress&) = delete;
  DownloadProgress& operator=(const DownloadProgress&) = delete;

  // `done` bytes were there before. An empty total is unknown.
  void begin(const std::string& what, std::uint64_t done, std::optional<std::uint64_t> total);
  void at(std::uint64_t done);  // may be called often
  void end();
  // Shows a line of its own about a decision or a result.
  void say(const std::string& line) const;

 private:
  void show();

  const bool shown_;
  const std::optional<CursorControl> control_;  // empty: plain lines
  StopWatch watch_;
  TransferState state_;
  MovingRate rate_;
  double next_sample_ = 0;  // of the rate
  double next_line_ = 0;    // that is shown
};

// hash_file(), shown as "checking <name>": 10 GB take a while.
FileHashes hash_shown(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                      const std::string& name, DownloadProgress& progress);

}  // namespace virnucpro

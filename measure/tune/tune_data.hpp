#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

struct TuneDataSettings {
  std::string file{};              // an input of predict, not a pipe; empty: made-up sequences
  std::uint64_t sequences = 0;     // number of made-up sequences
  std::uint64_t length = 0;        // of each, in bases
  std::filesystem::path folder{};  // for the files below
};

// The sequences of tuning runs: the user's, or made-up coding sequences, each with a stop-free
// frame.
class TuneData {
 public:
  // Reads the user's file to its end. Errors: the input's; kUsage if it has no sequence.
  TuneData(TuneDataSettings settings, const Cancel& cancel);

  std::uint64_t sequences() const { return settings_.sequences; }
  // Returns a file of the first `count` sequences; the user's file for all. Errors: kOutputWrite.
  std::filesystem::path first(std::uint64_t count) const;

 private:
  TuneDataSettings settings_;
  const Cancel& cancel_;
};

}  // namespace virnucpro

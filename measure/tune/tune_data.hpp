#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

struct TuneDataSettings {
  std::string file{};              // an input of predict, not a pipe; empty: made-up sequences
  std::uint64_t sequences = 0;     // number of made-up sequences
  std::uint64_t length = 0;        // bases of each made-up sequence
  std::filesystem::path folder{};  // where first() writes its files
};

// The sequences of tuning runs: the user's, or made-up coding sequences.
class TuneData {
 public:
  // Reads the user's file to its end. Errors: those of the input; kUsage if it has no sequence.
  TuneData(TuneDataSettings settings, const Cancel& cancel);

  std::uint64_t sequences() const { return settings_.sequences; }
  // Returns a file with the first `count` sequences. If `count` is all of the user's sequences,
  // returns the user's file. Errors: kOutputWrite.
  std::filesystem::path first(std::uint64_t count) const;

 private:
  TuneDataSettings settings_;
  const Cancel& cancel_;
};

}  // namespace virnucpro

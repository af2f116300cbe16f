#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

struct TuneDataSettings {
  std::string file{};              // an input of predict that is no pipe; empty: made-up sequences
  std::uint64_t sequences = 0;     // to be made up
  std::uint64_t length = 0;        // of each, in bases
  std::filesystem::path folder{};  // for the files below
};

// What runs are given while settings are tuned: the user's sequences or made-up coding ones, each
// of which has a stop-free frame.
class TuneData {
 public:
  // Reads the user's file to its end. Errors: the input's; kUsage where it has no sequence.
  TuneData(TuneDataSettings settings, const Cancel& cancel);

  std::uint64_t sequences() const { return settings_.sequences; }
  // A file of the first so many; all of them are the user's file itself. Errors: kOutputWrite.
  std::filesystem::path first(std::uint64_t count) const;

 private:
  TuneDataSettings settings_;
  const Cancel& cancel_;
};

}  // namespace virnucpro

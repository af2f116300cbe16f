#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "journal/unit.hpp"
#include "tables/spill_file.hpp"

namespace virnucpro {

// The parts of several runs' sequences, put aside run after run and read again from all of them at
// once: a merge needs neither all journals open nor a unit of each in memory.
class SpilledParts {
 public:
  // The file has no name, and lies in this folder. Errors: kOutputWrite.
  explicit SpilledParts(const Directory& directory) : file_(directory) {}

  // Parts of the next run follow.
  void begin_run() { begins_.push_back(file_.size()); }
  void add(const SequencePart& part);
  // Call it after the last part.
  void finish() { file_.flush(); }

  // Reads the parts of one run, in their order. The SpilledParts must outlive it.
  class Reader {
   public:
    // Reads at least so many bytes at once, which is what it takes of memory.
    Reader(const SpilledParts& parts, std::size_t run, std::size_t bytes_at_once);

    std::optional<SequencePart> next();

   private:
    std::string_view take(std::size_t size);

    const SpillFile* file_;
    std::size_t bytes_at_once_;
    std::uint64_t offset_;  // of what is not in the buffer
    std::uint64_t end_;
    std::string buffer_;
    std::size_t taken_ = 0;  // of the buffer
  };

 private:
  SpillFile file_;
  std::vector<std::uint64_t> begins_;  // by run
};

}  // namespace virnucpro

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

// Writes the parts of several runs' sequences to a temporary file, run after run, and reads all
// runs at once from there. To read all journals at once would take megabytes and descriptors for
// each journal. To open a journal again for each unit would take longer than this copy.
class SpilledParts {
 public:
  // Makes a SpillFile, in TMPDIR or in `directory`. Errors: those of SpillFile.
  explicit SpilledParts(const Directory& directory) : file_(directory) {}

  void begin_run() { begins_.push_back(file_.size()); }
  void add(const SequencePart& part);
  // Call it after the last part.
  void finish() { file_.flush(); }

  // Reads the parts of one run, in their order. The SpilledParts must outlive the reader.
  class Reader {
   public:
    // Reads `bytes_at_once` bytes or more at once into a buffer of about this size.
    Reader(const SpilledParts& parts, std::size_t run, std::size_t bytes_at_once);

    std::optional<SequencePart> next();

   private:
    std::string_view take(std::size_t size);

    const SpillFile* file_;
    std::size_t bytes_at_once_;
    std::uint64_t offset_;  // offset of the first byte that is not in the buffer
    std::uint64_t end_;
    std::string buffer_;
    std::size_t taken_ = 0;  // used bytes of the buffer
  };

 private:
  SpillFile file_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace virnucpro

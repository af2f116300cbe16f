#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "journal/journal.hpp"
#include "run/frame_stream.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// The sequences of the inputs again, for virus.fasta: files are read a second time; when stdin or
// another pipe is among the inputs, which cannot be, every sequence is put aside in the output
// directory first.
class SequenceRereader {
 public:
  // `cutting`: the run's chunk size, least length and shard.
  SequenceRereader(InputSettings inputs, const FrameStreamSettings& cutting,
                   const std::filesystem::path& directory);

  bool needs_records() const { return spool_.has_value(); }
  void add(const InputRecord& record);
  // As Intermediates: what was added so far stays, or what was added since is dropped.
  void keep();
  void drop();

  // Writes virus.fasta: whole header lines, 60 columns, the input's case. Errors: kOutputWrite;
  // kInputChanged when an input is not any more what was scored.
  void write(const Journal& journal, double threshold, const std::filesystem::path& path,
             const Cancel& cancel);

 private:
  InputSettings inputs_;
  FrameStreamSettings cutting_;
  std::optional<AtomicFile> spool_;
  std::uint64_t kept_ = 0;
};

}  // namespace virnucpro

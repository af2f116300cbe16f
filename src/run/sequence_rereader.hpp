#pragma once

#include <cstdint>
#include <optional>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "run/frame_stream.hpp"
#include "run/virus_files.hpp"
#include "sequence/input_set.hpp"
#include "tables/call_rule.hpp"

namespace virnucpro {

// The inputs' sequences again, for the files of those called virus. Files are read a second time.
// If stdin or another pipe is among the inputs, which cannot be read again, every sequence is first
// saved in the output directory.
class SequenceRereader {
 public:
  // `cutting`: the run's chunk size, minimum length and shard.
  SequenceRereader(InputSettings inputs, const FrameStreamSettings& cutting,
                   const RunFolder& directory);

  bool needs_records() const { return spool_.has_value(); }
  void add(const InputRecord& record);
  // As in Intermediates: keeps what was added so far, or drops what was added since.
  void keep();
  void drop();

  // Passes every sequence of the inputs that did not fail to `files`, with its call, and finishes
  // them. Errors: theirs; kInputChanged when an input changed since it was scored.
  void write(const Journal& journal, const CallRule& rule, VirusFiles& files, const Cancel& cancel);

 private:
  InputSettings inputs_;
  FrameStreamSettings cutting_;
  std::optional<AtomicFile> spool_;
  std::uint64_t kept_ = 0;
};

}  // namespace virnucpro

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

// Reads the inputs again to write the files of sequences called virus: all sequences would not fit
// in memory until their calls are known. A pipe cannot be read again. So if an input is a pipe,
// every sequence is saved in the output directory while it is scored.
class SequenceRereader {
 public:
  // `cutting` has the run's chunk size, minimum length and shard.
  SequenceRereader(InputSettings inputs, const FrameStreamSettings& cutting,
                   const RunFolder& directory);

  bool needs_records() const { return spool_.has_value(); }
  void add(const InputRecord& record);
  // keep() marks all records added so far as final. drop() removes the records added since keep().
  void keep();
  void drop();

  // Passes every sequence with its call to `files`, except sequences of failed inputs. Then
  // finishes the files. Errors: those of VirusFiles; kInputChanged if an input changed since it was
  // scored.
  void write(const Journal& journal, const CallRule& rule, VirusFiles& files, const Cancel& cancel);

 private:
  InputSettings inputs_;
  FrameStreamSettings cutting_;
  std::optional<AtomicFile> spool_;
  std::uint64_t kept_ = 0;
};

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

// A path as messages have it: "stdin" for "-".
std::string display_name(const std::string& path);

// A sequence of an input, with the id it has in every table (with /1 or /2 for pairs).
struct InputRecord {
  std::uint32_t input = 0;
  std::string id;
  SequenceRecord record;
};

// An input was read to its end.
struct InputEnd {
  std::uint32_t input = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of decompressed text; of CRAM as it is
  std::string hash;         // XXH3-128 of it
  SkippedAlignments skipped{};
};

// An input is damaged; everything that came from it is void.
struct InputFailure {
  std::uint32_t input = 0;
  std::uint64_t records = 0;
  Error error;
};

using InputEvent = std::variant<InputRecord, InputEnd, InputFailure>;

struct InputSettings {
  std::vector<std::string> paths;  // "-" is stdin
  bool paired = false;             // R1 R2 R1 R2 …: records alternate, ids get /1 and /2
  std::string reference{};         // FASTA that CRAM inputs were made with; may be empty
  bool proteins = false;           // which alignments do not hold
};

// Every record of every input, in order, then how each input ended. With `paired` a pair of files
// is one input, named "R1+R2"; both files must be FASTQ, two of them, and hold the same reads.
// Of BAM, SAM and CRAM the primary alignments' reads come; their mates get /1 and /2 from the
// flags.
class InputSet {
 public:
  InputSet(InputSettings settings, const Cancel& cancel);
  ~InputSet();

  std::size_t size() const;  // inputs
  const std::string& name(std::uint32_t input) const;
  // The sizes of all files; 0 where some input is no regular file.
  std::uint64_t total_bytes() const;
  // How much of the files has been read; never falls.
  std::uint64_t bytes_taken() const;
  // Errors: those that are of no input (is_of_an_input), and the cancellation's.
  std::optional<InputEvent> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro

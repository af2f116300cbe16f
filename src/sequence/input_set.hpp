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

// A sequence of an input; `id` is its id in every table (with /1 or /2 for pairs).
struct InputRecord {
  std::uint32_t input = 0;
  std::string id;
  SequenceRecord record;
  bool with_previous = false;  // true for a mate of the previous record: both go to one shard
};

// Returns the header with the id in place of the name, because a mate's name may lack /1 or /2.
std::string header_with_id(const InputRecord& record);

// An input was read to its end.
struct InputEnd {
  std::uint32_t input = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // decompressed, except for CRAM
  std::string hash;         // XXH3-128 of these bytes; for a pair, of its files' two hashes
  SkippedAlignments skipped{};
};

// An input cannot be used. Discard all records that came from it.
struct InputFailure {
  std::uint32_t input = 0;
  std::uint64_t records = 0;
  Error error;
};

using InputEvent = std::variant<InputRecord, InputEnd, InputFailure>;

struct InputSettings {
  std::vector<std::string> paths;  // "-" is stdin
  bool paired = false;             // R1 R2 R1 R2 …: records alternate, ids get /1 and /2
  std::string reference{};         // FASTA file that CRAM inputs were made with, or empty
  bool proteins = false;           // refuse alignments: they hold no proteins
  bool qualities = false;          // keep qualities, and refuse reads without them
  Headers headers = Headers::kWhole;
  bool refuse_rna = false;                      // fail an input whose first records are RNA
  std::size_t longest_id = kLongestId;          // bytes; a record with a longer id fails its input
  std::size_t longest_header = kLongestHeader;  // bytes; a longer header line fails its input
};

// Checks the list of inputs without opening any. Errors: kUsage.
void require_usable(const InputSettings& settings);

// Returns the inputs' names, in order. A pair of files is one input with the name "R1+R2".
std::vector<std::string> input_names(const InputSettings& settings);

// Reads every record of every input, in order, and reports how each input ended. With `paired`, two
// files are one input: both must be FASTQ, and each has one mate of every pair. From BAM, SAM
// and CRAM it returns the reads of primary alignments; flags say which mates get /1 and /2. With
// `qualities`, next() throws kNoQualities for a read without qualities, and for CRAM, whose
// qualities are not read. An input fails with kInputChanged if one of its files, or the reference
// of a CRAM, changes while it is read.
class InputSet {
 public:
  InputSet(InputSettings settings, const Cancel& cancel);  // Errors: those of require_usable()
  ~InputSet();

  std::size_t size() const;  // number of inputs
  const std::string& name(std::uint32_t input) const;
  // Returns the size of all files together; 0 if some input is not a regular file.
  std::uint64_t total_bytes() const;
  // Returns how many bytes of the files have been read; the number never falls.
  std::uint64_t bytes_read() const;
  // Returns the next event; empty after the last input. Errors: those of Cancel, and those
  // that are not of the class kOneInput.
  std::optional<InputEvent> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro

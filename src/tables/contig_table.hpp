#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/file.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/external_sort.hpp"

namespace virnucpro {

// Writes contigs.tsv: a row for each sequence, in input order. Its first ten columns are those of
// viral-ngs. Then come the sequence's length, its number of chunks, the bases that lie in a scored
// chunk, and its input. Errors: kOutputWrite.
class ContigTable {
 public:
  ContigTable(const FilePlace& place, std::uint64_t chunk_size);

  // Takes the parts of a sequence in order, with their scored chunks.
  void add(const SequencePart& part, const std::vector<ChunkScore>& chunks);
  // Call it after a sequence's last part. `input` is the name of the sequence's input, on one line.
  void end(const SequencePart& last, const ContigCall& call, std::string_view input);

  // Call it before the first row to get rows in natural order of ids; rows are sorted in `folder`.
  void sort(const Directory& folder, std::size_t rows_in_memory, const Cancel& cancel);
  // Call it after the last row.
  void finish();

  AtomicFile& file() { return file_; }

 private:
  AtomicFile file_;
  std::optional<ExternalSort> sort_;
  std::uint64_t chunk_size_;
  std::uint64_t bases_scored_ = 0;
  std::uint64_t scored_end_ = 0;  // of the last scored chunk: chunks overlap
};

// Returns a text whose byte order is the natural order of ids: runs of digits count as numbers.
std::string natural_key(std::string_view id);

}  // namespace virnucpro

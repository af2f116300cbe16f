#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/file.hpp"
#include "tables/chunk_score.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/external_sort.hpp"

namespace virnucpro {

// Writes contigs.tsv: a row for each sequence, in input order unless sort() was called. The first
// ten columns are those of viral-ngs. Then come the sequence's length, its number of chunks, the
// number of bases in scored chunks, and its input. Errors: kOutputWrite, those of ExternalSort.
class ContigTable {
 public:
  ContigTable(const FilePlace& place, std::uint64_t chunk_size);

  // Adds a part with its scored chunks. Call it with a sequence's parts in order.
  void add(const SequencePart& part, const std::vector<ChunkScore>& chunks);
  // Writes a sequence's row, after its last part. `input` is the input's name, on one line.
  void end(const SequencePart& last, const ContigCall& call, std::string_view input);

  // Sorts the rows by id in natural order, with an ExternalSort. Call it before the first row.
  void sort(const Directory& folder, std::size_t rows_in_memory, const Cancel& cancel);
  // Writes the sorted rows. Call it after the last row.
  void finish();

  AtomicFile& file() { return file_; }

 private:
  AtomicFile file_;
  std::optional<ExternalSort> sort_;
  std::uint64_t chunk_size_;
  std::uint64_t bases_scored_ = 0;
  std::uint64_t scored_end_ = 0;  // end of the last scored chunk: overlaps count once
};

// Returns a text whose byte order is the natural order of ids: "s2" comes before "s10".
std::string natural_key(std::string_view id);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {

// Writes chunks.bed: a line for each chunk, scored or not, in input order. The columns are BED's
// first six, then score_0 and score_1 (NA if not scored) and the number of scored frames. BED's
// `name` is virus, others or unscored. BED's `score` is 1000 times the virus score, rounded down. A
// skipped sequence has no chunks. Errors: kOutputWrite.
class ChunkBed {
 public:
  ChunkBed(const FilePlace& place, std::uint64_t chunk_size, const CallRule& rule);

  // Adds a part with its scored chunks. Call it with a sequence's parts in order.
  void add(const SequencePart& part, const std::vector<ChunkScore>& chunks);

  AtomicFile& file() { return file_; }

 private:
  void write_unscored(const SequencePart& part, std::uint64_t end);

  AtomicFile file_;
  std::uint64_t chunk_size_;
  CallRule rule_;
  std::uint64_t next_chunk_ = 0;
};

}  // namespace virnucpro

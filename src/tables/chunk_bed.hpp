#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {

// Writes chunks.bed: a line for each chunk of each sequence, also if unscored, in input order (BED
// with its first six columns, then score_0, score_1 and the number of scored frames; NA for no
// score). `name` is virus, others or unscored; `score` is 1000 times the virus score, rounded down.
// A skipped sequence has no chunks. Errors: kOutputWrite.
class ChunkBed {
 public:
  ChunkBed(const FilePlace& place, std::uint64_t chunk_size, const CallRule& rule);

  // Takes the parts of a sequence in order, with their scored chunks.
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

#pragma once

#include <cstdint>

namespace virnucpro {

// A stretch [begin, end) of a sequence, 0-based.
struct Chunk {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Cuts a sequence of `length` letters into ceil(length/size) chunks of `size` (at least 1) letters.
// If the chunks together have more letters than the sequence, neighbours overlap; overlaps differ
// by at most one letter. As in the original program, need_ may exceed the number of overlaps. Then
// each overlap has lower_ + 1 letters, and the last chunk is shorter than `size`.
class ChunkPlan {
 public:
  ChunkPlan(std::uint64_t length, std::uint64_t size);

  std::uint64_t count() const { return count_; }
  Chunk at(std::uint64_t index) const;  // index < count()

 private:
  std::uint64_t length_;
  std::uint64_t size_;
  std::uint64_t count_;
  std::uint64_t lower_ = 0;  // letters of the smaller overlaps
  std::uint64_t need_ = 0;   // the first `need_` overlaps are one letter larger
};

}  // namespace virnucpro

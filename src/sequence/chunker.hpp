#pragma once

#include <cstdint>

namespace virnucpro {

// A stretch [begin, end) of a sequence, 0-based.
struct Chunk {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Cuts a sequence of `length` letters into ceil(length/size) chunks of `size` letters (at least 1).
// Their overlaps share the surplus letters. As in the original, `need` is not clipped: if every
// overlap is the larger one, the last chunk is short. It takes constant time and memory.
class ChunkPlan {
 public:
  ChunkPlan(std::uint64_t length, std::uint64_t size);

  std::uint64_t count() const { return count_; }
  Chunk at(std::uint64_t index) const;  // index < count()

 private:
  std::uint64_t length_;
  std::uint64_t size_;
  std::uint64_t count_;
  std::uint64_t lower_ = 0;  // the smaller overlap
  std::uint64_t need_ = 0;   // the first `need_` overlaps are one letter larger
};

}  // namespace virnucpro

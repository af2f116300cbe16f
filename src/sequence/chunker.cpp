#include "sequence/chunker.hpp"

#include <algorithm>

namespace virnucpro {

ChunkPlan::ChunkPlan(std::uint64_t length, std::uint64_t size)
    : length_(length), size_(size), count_(length / size + (length % size != 0 ? 1 : 0)) {
  if (count_ == 0) return;
  const std::uint64_t surplus = count_ * size - length;
  lower_ = surplus / count_;
  need_ = surplus - lower_ * (count_ - 1);
}

Chunk ChunkPlan::at(std::uint64_t index) const {
  const std::uint64_t overlaps = index * lower_ + std::min(index, need_);
  const std::uint64_t begin = index * size_ - overlaps;
  return {.begin = begin, .end = std::min(begin + size_, length_)};
}

}  // namespace virnucpro

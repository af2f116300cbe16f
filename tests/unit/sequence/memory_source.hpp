#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "sequence/byte_source.hpp"

namespace virnucpro {

// A text in memory, read in blocks of at most `block` bytes.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string text, std::size_t block = 1U << 20U)
      : text_(std::move(text)), block_(block) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min({buffer.size(), block_, text_.size() - taken_});
    std::copy_n(text_.data() + taken_, size, buffer.data());
    taken_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t block_;
  std::size_t taken_ = 0;
};

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace virnucpro {

// Reads the stored bytes of an open file or socket through a window.
class RawBytes {
 public:
  explicit RawBytes(UniqueFd fd);

  // Returns the next bytes, valid until the next call: at least `size`, or fewer at the end. `size`
  // is at most kWindow. Errors, which name no place: kInputRead, those for a lack of memory.
  std::string_view peek(std::size_t size = 1);
  void take(std::size_t size) { begin_ += size; }
  std::uint64_t taken() const { return before_ + begin_; }

  static constexpr std::size_t kWindow = 256U << 10U;

 private:
  bool fill();

  UniqueFd fd_;
  std::vector<char> buffer_;
  std::uint64_t before_ = 0;  // number of bytes before buffer_[0]
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace virnucpro

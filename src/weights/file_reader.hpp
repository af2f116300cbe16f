#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/steady_file.hpp"

namespace virnucpro {

// Reads fields of a few bytes, at any offset, from a binary file that may be damaged or hostile.
// Its memory is 4 KiB, or the longest field if that is larger. Errors: kWeightsTruncated if the
// file ends within a field, and those of SteadyFile::read().
class FileReader {
 public:
  explicit FileReader(const SteadyFile& file) : file_(file) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t size() const { return file_.size(); }

  void seek(std::uint64_t offset);
  // Skips the next `size` bytes without reading them, and returns their extent.
  Extent skip(std::uint64_t size);
  template <Number T>
  T number() {
    return value_at<T>(text(sizeof(T)));
  }
  // Returns the next `size` bytes, valid until the next call. The caller must limit `size`.
  std::string_view text(std::uint64_t size);

  [[noreturn]] void fail(ErrorKind kind, std::string why) const;

 private:
  const SteadyFile& file_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> block_;
  std::uint64_t block_offset_ = 0;
};

}  // namespace virnucpro

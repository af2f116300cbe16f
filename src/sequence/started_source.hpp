#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/byte_source.hpp"

namespace virnucpro {

// A source whose first bytes can be examined and then read again, even from a pipe.
class StartedSource : public ByteSource {
 public:
  static constexpr std::size_t kStartBytes = 6;

  // Reads the first bytes. If that fails, read() returns the text before the failure, then throws.
  explicit StartedSource(ByteSource& source);

  // Returns the first kStartBytes, or fewer if the text is shorter or cannot be read further.
  std::string_view start() const { return start_; }
  std::size_t read(std::span<char> buffer) override;

 private:
  ByteSource& source_;
  std::string start_;
  std::size_t taken_ = 0;  // bytes of start_ that read() has returned
  std::optional<Error> failure_;
};

}  // namespace virnucpro

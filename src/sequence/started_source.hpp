#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/byte_source.hpp"

namespace virnucpro {

// Another source's text, whose start can be looked at before anything is read: pipes cannot go
// back.
class StartedSource : public ByteSource {
 public:
  static constexpr std::size_t kStartBytes = 6;

  // Reads the start. An error of the source waits until what came before it was read.
  explicit StartedSource(ByteSource& source);

  // Shorter than kStartBytes where the text is, or where it cannot be read any further.
  std::string_view start() const { return start_; }
  std::size_t read(std::span<char> buffer) override;

 private:
  ByteSource& source_;
  std::string start_;
  std::size_t taken_ = 0;  // of start_
  std::optional<Error> failure_;
};

}  // namespace virnucpro

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {

// Reads bytes that a ByteWriter of this program wrote, such as a row sorted on disk or an answer of
// a child process. Errors: kInternal, "`what` is cut", if the bytes end too early.
class PackedReader : public ByteReader {
 public:
  PackedReader(std::string_view bytes, const std::string& what)
      : ByteReader(as_bytes(bytes), what, ErrorKind::kInternal) {}

 private:
  Error error(std::string /*why*/) const override {
    return Error(ErrorKind::kInternal, fmt::format("{} is cut", file()));
  }
};

}  // namespace virnucpro

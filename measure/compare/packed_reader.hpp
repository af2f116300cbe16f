#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {

// Reads the bytes of this program's ByteWriter, such as a row sorted on disk or an answer of a
// child process. Errors: kInternal, "`what` is cut".
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

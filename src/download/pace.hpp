#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {

// The least speed of a connection: 1 KiB/s over a minute. A slower connection is given up and does
// not give the attempts back: otherwise a server that sends a byte a minute, or a byte for each
// connection, would be asked for ever.
struct Pace {
  std::uint64_t bytes = 60U << 10U;
  double seconds = 60;
};

class PaceWatch {
 public:
  explicit PaceWatch(const Pace& pace) : pace_(pace) {}

  // `came` is the number of bytes since the watch was made.
  bool is_too_slow(std::uint64_t came) {
    if (came - counted_ >= pace_.bytes) {
      counted_ = came;
      since_ = {};
    }
    return since_.seconds() > pace_.seconds;
  }
  std::string text() const {
    return fmt::format("less than {} came in {:g} s", size_text(pace_.bytes), pace_.seconds);
  }

 private:
  Pace pace_;
  StopWatch since_;
  std::uint64_t counted_ = 0;
};

}  // namespace virnucpro

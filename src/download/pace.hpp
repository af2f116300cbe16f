#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {

// The least speed of a connection: 60 KiB in a minute. A slower connection fails. The attempts
// are counted from 0 again only after `bytes` new bytes; otherwise a server that sends one byte for
// each connection would be asked forever.
struct Pace {
  std::uint64_t bytes = 60U << 10U;
  double seconds = 60;
};

class PaceWatch {
 public:
  explicit PaceWatch(const Pace& pace) : pace_(pace) {}

  // `came` is the number of bytes received since construction.
  bool is_too_slow(std::uint64_t came) {
    if (came - counted_ >= pace_.bytes) {
      counted_ = came;
      since_ = {};
    }
    return since_.seconds() > pace_.seconds;
  }
  std::string text() const {
    return fmt::format("received less than {} in {:g} s", size_text(pace_.bytes), pace_.seconds);
  }

 private:
  Pace pace_;
  StopWatch since_;
  std::uint64_t counted_ = 0;
};

}  // namespace virnucpro

#pragma once

#include <cstdint>

#include "base/hash.hpp"

namespace virnucpro {

// The random numbers of one sequence, the same on every machine.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t index)
      : state_(splitmix64(splitmix64(seed) ^ index)) {}

  std::uint64_t next() {
    const std::uint64_t value = splitmix64(state_);
    state_ += kSplitMixStep;
    return value;
  }

  // Returns one of 0 … bound - 1, all equally likely.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (UINT64_MAX % bound + 1) % bound;  // 2^64 modulo the bound
    std::uint64_t value = next();
    while (value > UINT64_MAX - uneven) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace virnucpro

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.hpp"

// A target: bytes for which it must end, without a crash. Each file of a target defines its own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace virnucpro::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Does `work`, which may be refused with an Error: of these kinds, where some are given.
template <typename Work>
void may_refuse(const Work& work, std::initializer_list<ErrorKind> kinds = {}) {
  try {
    work();
  } catch (const Error& error) {
    require(kinds.size() == 0 || std::ranges::find(kinds, error.kind()) != kinds.end());
  }
}

}  // namespace virnucpro::fuzz

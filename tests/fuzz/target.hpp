#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.hpp"

// The fuzz target. It must return without a crash, whatever the bytes are. Each *_fuzz.cpp file
// defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace virnucpro::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Calls `work`, which may throw an Error. If `kinds` is not empty, the Error must be of these
// kinds.
template <typename Work>
void may_refuse(const Work& work, std::initializer_list<ErrorKind> kinds = {}) {
  try {
    work();
  } catch (const Error& error) {
    require(kinds.size() == 0 || std::ranges::find(kinds, error.kind()) != kinds.end());
  }
}

}  // namespace virnucpro::fuzz

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "weights/pickle_value.hpp"

namespace virnucpro {

inline constexpr std::size_t kMaxPickleBytes = 16U << 20U;
inline constexpr std::size_t kMaxPickleNodes = 1U << 18U;

// How large a pickle may be. The defaults suffice for files of weights.
struct PickleLimits {
  std::size_t bytes = kMaxPickleBytes;
  // Each of: values, stack entries, memo entries, and items copied from other values.
  std::size_t values = kMaxPickleNodes;
};

// Reads a pickle (protocols 2 to 5, as torch.save writes them) as data: it parses a list of opcodes
// and runs nothing. Any opcode or global that is not on the lists (pickle_globals.hpp) is refused
// by name with kPickleForbidden. kWeightsFormat if the pickle is cut, makes too many values or
// misuses its stack. The pickle's length and the limits bound the memory.
PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& file,
                           const PickleLimits& limits = {});

}  // namespace virnucpro

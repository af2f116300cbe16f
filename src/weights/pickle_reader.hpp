#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "weights/pickle_value.hpp"

namespace virnucpro {

inline constexpr std::size_t kMaxPickleBytes = 16U << 20U;
inline constexpr std::size_t kMaxPickleNodes = 1U << 18U;

// How large a pickle may be; what files of weights need, unless a reader knows of larger ones.
struct PickleLimits {
  std::size_t bytes = kMaxPickleBytes;
  // Values, places on the stack and in the memo, items taken over from other values: each.
  std::size_t values = kMaxPickleNodes;
};

// Reads a pickle (protocols 2 to 5, as torch.save writes them) as data. It is a reader of a list of
// opcodes, not a machine that runs them: whatever is not on the list of opcodes or of globals
// (pickle_globals.hpp) is refused by name with kPickleForbidden. A pickle that is cut short, makes
// too many values or misuses its own stack is kWeightsFormat. Memory is bounded by the pickle's own
// length and by the limits.
PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& file,
                           const PickleLimits& limits = {});

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "weights/pickle_globals.hpp"
#include "weights/pickle_value.hpp"

namespace virnucpro {

inline constexpr std::size_t kMaxPickleBytes = 16U << 20U;
inline constexpr std::size_t kMaxPickleNodes = 1U << 18U;

// Limits of a pickle's size. The defaults suffice for files of weights.
struct PickleLimits {
  std::size_t bytes = kMaxPickleBytes;
  // The limit for each of these: values, stack entries, marks, memo entries, copied items.
  std::size_t values = kMaxPickleNodes;
  // If false, all floats share one value, 0, which saves memory on a file with very many floats.
  bool keeps_floats = true;
};

// Reads a pickle (protocols 2 to 5, as torch.save writes them) as data: handles only opcodes that
// describe data, and executes nothing. Errors: kPickleForbidden, with the name, for another opcode
// or a global that is not in `globals`; kPickleTooLarge if the pickle is longer or has more values
// than the limits allow, or has an integer of more than 64 bits; kWeightsFormat if it is truncated
// or misuses its stack. The pickle's length and the limits bound the memory.
PickleDocument read_pickle(std::span<const std::byte> bytes, const std::string& file,
                           const PickleLimits& limits = {},
                           std::span<const AllowedGlobal> globals = weight_globals());

}  // namespace virnucpro

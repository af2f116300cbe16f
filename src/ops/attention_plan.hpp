#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/product_plan.hpp"

namespace virnucpro::cuda {

// One thread block computes a whole sequence of at most kWholeRows rows (a 500-base chunk fits), so
// that keys and values that fit in shared memory are read once. A longer sequence is divided into
// blocks of kCutRows query rows.
inline constexpr std::uint32_t kWholeRows = 176;
inline constexpr std::uint32_t kCutRows = 128;

inline constexpr std::uint32_t kBlockKeys = 64;  // keys per update of the running maximum

// A block of generic attention has kWarps warps. Queries and results pass through shared memory,
// kPassRows rows of each warp at a time.
inline constexpr std::uint32_t kWarps = 4;
inline constexpr std::uint32_t kPassRows = 8;

// Returns the bytes of shared memory of a block that keeps `rows` keys and values of 16 bits.
constexpr std::size_t attention_bytes(std::uint32_t head_width, std::uint32_t rows) {
  return (std::size_t{2} * rows + kWarps * kPassRows) * head_width * 2;
}

// Returns how many keys (and values) a block keeps in shared memory at a time, so that two blocks
// fit into a multiprocessor and one computes while the other loads. The number is `longest` if this
// is at most kWholeRows and fits, else a multiple of kBlockKeys.
constexpr std::uint32_t attention_rows(std::uint32_t head_width, std::uint32_t longest,
                                       std::size_t shared_bytes_of_multiprocessor) {
  const std::size_t room = shared_bytes_of_multiprocessor / 2 - kReservedBytes;
  const std::size_t of_a_row = attention_bytes(head_width, 1) - attention_bytes(head_width, 0);
  const auto most = static_cast<std::uint32_t>((room - attention_bytes(head_width, 0)) / of_a_row);
  if (longest <= std::min(most, kWholeRows)) return longest;
  return std::max(std::min(most, kCutRows) / kBlockKeys * kBlockKeys, kBlockKeys);
}

}  // namespace virnucpro::cuda

#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// A batch may be computed in parts: a frame's result does not hang on what else is in its batch.
struct BatchPart {
  std::uint64_t batch = 0;
  std::uint32_t begin = 0;  // frames [begin, end)
  std::uint32_t end = 0;

  std::uint32_t frames() const { return end - begin; }
  friend bool operator==(const BatchPart&, const BatchPart&) = default;
};

// The frames of a part, as a batch of their own.
PackedFrames cut_frames(const PackedFrames& frames, const BatchPart& part);

// Puts a part's rows where they belong in the result of its batch of `frames`, and adds its times.
// Of the lists of frames it takes nothing.
void place_rows(const BatchResult& part_result, const BatchPart& part, std::size_t frames,
                BatchResult& result);

}  // namespace virnucpro

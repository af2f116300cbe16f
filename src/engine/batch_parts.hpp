#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// A part of a batch. A frame's result does not depend on the rest of its batch.
struct BatchPart {
  std::uint64_t batch = 0;
  std::uint32_t begin = 0;  // frames [begin, end)
  std::uint32_t end = 0;

  std::uint32_t frames() const { return end - begin; }
  friend bool operator==(const BatchPart&, const BatchPart&) = default;
};

// Returns the frames of a part as a batch of their own.
PackedFrames cut_frames(const PackedFrames& frames, const BatchPart& part);

// Copies a part's rows to their places in the result of its batch of `frames`, and adds its times.
// The lists of frames are not copied. Worker, memory and arrival become those of the part that came
// last, so all times of the batch count for its worker. If a batch was split, figures of single
// workers are therefore inexact: two workers were lost with it, or a worker's memory was short.
// Sums over all workers always hold.
void place_rows(const BatchResult& part_result, const BatchPart& part, std::size_t frames,
                BatchResult& result);

}  // namespace virnucpro

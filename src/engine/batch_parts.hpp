#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// Some frames of a batch. Frames do not affect each other, so a part can be computed alone.
struct BatchPart {
  std::uint64_t batch = 0;
  std::uint32_t begin = 0;  // frames [begin, end)
  std::uint32_t end = 0;

  std::uint32_t frames() const { return end - begin; }
  friend bool operator==(const BatchPart&, const BatchPart&) = default;
};

// Returns the frames of a part as a new batch.
PackedFrames cut_frames(const PackedFrames& frames, const BatchPart& part);

// Copies the rows of a part into the result of its batch, which has `frames` frames, and adds the
// part's times. Does not copy `not_finite` and `failed`. Takes worker, memory and arrival from this
// part, so all times of a batch count for the worker of its last part. If a batch was cut into
// parts (after losses or for lack of memory), figures of single workers are therefore inexact; sums
// over all workers are exact.
void place_rows(const BatchResult& part_result, const BatchPart& part, std::size_t frames,
                BatchResult& result);

}  // namespace virnucpro

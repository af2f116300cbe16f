#include "engine/batch_parts.hpp"

#include <algorithm>

namespace virnucpro {
namespace {

// Copies the sequences of `part` out of packed sequences.
template <typename T>
void cut(const std::vector<T>& tokens, const std::vector<std::uint32_t>& offsets,
         const BatchPart& part, std::vector<T>& cut_tokens,
         std::vector<std::uint32_t>& cut_offsets) {
  const std::uint32_t first = offsets[part.begin];
  cut_tokens.assign(tokens.begin() + first, tokens.begin() + offsets[part.end]);
  cut_offsets.clear();
  for (std::uint32_t i = part.begin; i <= part.end; ++i) cut_offsets.push_back(offsets[i] - first);
}

void place(const std::vector<float>& rows, const BatchPart& part, std::size_t frames,
           std::vector<float>& all) {
  if (rows.empty()) return;
  const std::size_t width = rows.size() / part.frames();
  all.resize(frames * width);
  std::copy(rows.begin(), rows.end(),
            all.begin() + static_cast<std::ptrdiff_t>(part.begin * width));
}

}  // namespace

PackedFrames cut_frames(const PackedFrames& frames, const BatchPart& part) {
  PackedFrames some;
  cut(frames.esm_tokens, frames.esm_offsets, part, some.esm_tokens, some.esm_offsets);
  cut(frames.dna_tokens, frames.dna_offsets, part, some.dna_tokens, some.dna_offsets);
  return some;
}

void place_rows(const BatchResult& part_result, const BatchPart& part, std::size_t frames,
                BatchResult& result) {
  place(part_result.scores, part, frames, result.scores);
  place(part_result.dnabert_s, part, frames, result.dnabert_s);
  place(part_result.esm2, part, frames, result.esm2);
  add(result.times, part_result.times);
  result.memory = part_result.memory;
  result.worker = part_result.worker;
  result.arrived = part_result.arrived;
}

}  // namespace virnucpro

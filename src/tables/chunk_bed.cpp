#include "tables/chunk_bed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sequence/chunker.hpp"
#include "tables/score_text.hpp"

namespace virnucpro {
namespace {

// Returns BED's score, a whole number from 0 to 1000.
int bed_score(float virus) {
  const double score = std::floor(1000 * printed_score(virus));
  if (!(score > 0)) return 0;  // NaN also gives 0
  return static_cast<int>(std::min(score, 1000.0));
}

std::uint64_t count_frames(const SequencePart& part, std::uint64_t chunk) {
  const auto begin = std::ranges::lower_bound(part.frames, chunk, {}, &FrameScore::chunk);
  const auto end = std::ranges::upper_bound(part.frames, chunk, {}, &FrameScore::chunk);
  return static_cast<std::uint64_t>(
      std::count_if(begin, end, [](const FrameScore& frame) { return !frame.failed; }));
}

}  // namespace

ChunkBed::ChunkBed(const FilePlace& place, std::uint64_t chunk_size, const CallRule& rule)
    : file_(place), chunk_size_(chunk_size), rule_(rule) {}

void ChunkBed::write_unscored(const SequencePart& part, std::uint64_t end) {
  const ChunkPlan plan(part.length, chunk_size_);
  for (; next_chunk_ < end; ++next_chunk_) {
    const Chunk place = plan.at(next_chunk_);
    file_.write(
        fmt::format("{}\t{}\t{}\tunscored\t0\t.\tNA\tNA\t0\n", part.id, place.begin, place.end));
  }
}

void ChunkBed::add(const SequencePart& part, const std::vector<ChunkScore>& chunks) {
  const ChunkPlan plan(part.length, chunk_size_);
  for (const ChunkScore& chunk : chunks) {
    write_unscored(part, chunk.chunk);
    const Chunk place = plan.at(chunk.chunk);
    const bool is_virus = rule_.is_virus_chunk(chunk.scores);
    file_.write(fmt::format("{}\t{}\t{}\t{}\t{}\t.\t{}\t{}\t{}\n", part.id, place.begin, place.end,
                            is_virus ? "virus" : "others", bed_score(chunk.scores.virus),
                            score_text(chunk.scores.others), score_text(chunk.scores.virus),
                            count_frames(part, chunk.chunk)));
    next_chunk_ = chunk.chunk + 1;
  }
  if (!part.last) return;
  write_unscored(part, part.chunks);
  next_chunk_ = 0;
}

}  // namespace virnucpro

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "models/score_pair.hpp"

namespace virnucpro {

// The scores of one stop-free frame.
struct FrameScore {
  std::uint64_t chunk = 0;  // 0-based, within its sequence
  std::uint8_t name = 0;    // index into kFrameNames
  bool failed = false;      // the frame could not be computed and counts as absent
  ScorePair scores{};
};

// The reason for skipping a sequence. A sequence that is long enough but has no frames has kNone.
enum class Skip : std::uint8_t { kNone, kEmpty, kTooShort };

// A sequence, or consecutive chunks of a sequence that is too long for one unit. A sequence's parts
// follow each other; `last` marks the last part.
struct SequencePart {
  std::uint32_t input = 0;  // index into the run's inputs
  std::string id;
  std::uint64_t length = 0;  // letters of the whole sequence
  std::uint64_t chunks = 0;  // chunks of the whole sequence; 0 if it is skipped
  // A hash of the part's letters (all letters of a skipped sequence), which a resumed run compares.
  std::uint32_t letters_hash = 0;
  Skip skip = Skip::kNone;
  bool with_previous = false;  // the sequence is the mate of the sequence before it
  bool last = true;
  std::vector<FrameScore> frames;  // ordered by chunk, then name
};

// Calls `visit` for each chunk of the part that has frames, in order, with the chunk's frames.
template <typename Visit>
void for_each_chunk(std::span<const FrameScore> frames, Visit visit) {
  while (!frames.empty()) {
    const auto is_other = [&](const FrameScore& frame) { return frame.chunk != frames[0].chunk; };
    const auto end = std::ranges::find_if(frames, is_other);
    visit(std::span(frames.begin(), end));
    frames = {end, frames.end()};
  }
}

// A frame's score before its unit is complete (early_scores.hpp).
struct EarlyScore {
  Hash128 frame{};  // a hash of the frame's tokens
  ScorePair scores{};
};

// A row of the journal: consecutive parts of one input.
struct Unit {
  std::uint32_t input = 0;  // the input of all parts
  std::uint64_t index = 0;  // 0, 1, 2 … within the input
  std::vector<SequencePart> parts;
};

// Adds up a unit's size and says when to close the unit: at 256 frames, about a batch of a GPU
// (base/limits.hpp), or at many sequences or long ids.
class UnitSize {
 public:
  void add(const SequencePart& part);
  bool is_full() const;

 private:
  std::uint64_t parts_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t id_bytes_ = 0;
};

// Returns a unit's name for messages: "unit 3 of input 1". Both numbers count from 1 there.
std::string unit_name(std::uint32_t input, std::uint64_t index);

// These return ids: "id_chunk_3", "id_chunk_3R1". `chunk` counts from 0, ids count from 1.
std::string chunk_id(const std::string& id, std::uint64_t chunk);
std::string frame_id(const std::string& id, std::uint64_t chunk, std::uint8_t name);

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace virnucpro {

// One frame, tokenised for both models.
struct FrameTokens {
  std::vector<std::uint8_t> esm;   // <cls> residues <eos>
  std::vector<std::uint16_t> dna;  // [CLS] pieces [SEP]
};

// Tokens of whole frames for both models, concatenated: frame i has [offsets[i], offsets[i + 1]).
struct PackedFrames {
  std::vector<std::uint8_t> esm_tokens;
  std::vector<std::uint32_t> esm_offsets{0};
  std::vector<std::uint16_t> dna_tokens;
  std::vector<std::uint32_t> dna_offsets{0};

  std::size_t frames() const { return esm_offsets.size() - 1; }
};

struct PackedBatch {
  PackedFrames frames;
  // For each frame, the numbers given to add(); several if equal frames were in the window.
  std::vector<std::vector<std::uint64_t>> occurrences;
};

inline constexpr std::size_t kLargestBudget = 1U << 24U;  // tokens in a batch

struct PackSettings {
  std::size_t token_budget = 4096;      // per model; a longer frame is a batch of its own
  std::size_t frames_in_window = 2048;  // distinct frames
  std::size_t tokens_in_window = 0;     // per model; 0: 64 token budgets
  std::size_t frames_per_batch = std::numeric_limits<std::size_t>::max();
  bool deduplicate = true;
};

// Packs whole frames from a bounded window into batches that nearly fill a token budget. The
// batches depend only on the settings and on the order in which the functions are called. Equal
// frames in the window are packed once, because sequencing libraries have many duplicates.
//
// A batch gets the oldest frames as long as they fit, then the longest frames that still fit. The
// window is full when it has frames_in_window distinct frames that are enough for a batch, or
// tokens_in_window tokens; a repeated frame counts as one token. Memory is bounded if the caller
// calls next_batch() after every add() until next_batch() returns nothing.
class Packer {
 public:
  explicit Packer(const PackSettings& settings);
  ~Packer();
  Packer(Packer&&) noexcept;

  void add(FrameTokens frame, std::uint64_t number);
  // Returns a batch while the window is full, else nothing. Each batch contains the window's oldest
  // frame, so no frame waits for ever.
  std::optional<PackedBatch> next_batch();
  // Returns a batch of the remaining frames, as full as possible; empty if no frame is left.
  std::optional<PackedBatch> drain();

 private:
  struct Window;
  std::unique_ptr<Window> window_;
};

}  // namespace virnucpro

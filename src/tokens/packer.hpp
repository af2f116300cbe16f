#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace virnucpro {

// One frame as both models see it.
struct FrameTokens {
  std::vector<std::uint8_t> esm;   // <cls> residues <eos>
  std::vector<std::uint16_t> dna;  // [CLS] pieces [SEP]
};

// Whole frames for both models, back to back: frame i's tokens are [offsets[i], offsets[i + 1]).
struct PackedFrames {
  std::vector<std::uint8_t> esm_tokens;
  std::vector<std::uint32_t> esm_offsets{0};
  std::vector<std::uint16_t> dna_tokens;
  std::vector<std::uint32_t> dna_offsets{0};

  std::size_t frames() const { return esm_offsets.size() - 1; }
};

struct PackedBatch {
  PackedFrames frames;
  // For each frame of the batch, the numbers under which it was added: more than one where equal
  // frames met in the window.
  std::vector<std::vector<std::uint64_t>> occurrences;
};

struct PackSettings {
  std::size_t token_budget = 4096;      // per model; a longer frame is a batch of its own
  std::size_t frames_in_window = 2048;  // how far it looks ahead, in distinct frames …
  std::size_t tokens_in_window = 0;     // … and in tokens of either model; 0: 64 budgets
  std::size_t frames_per_batch = 65536;
  bool deduplicate = true;
};

// Packs whole frames into batches under a token budget. What it gives is a pure function of the
// settings and of the calls in their order.
//
// A batch is filled in the order of age as long as frames fit, then with the longest that still
// fit. The window is full when it holds frames_in_window distinct frames and enough of them for a
// batch, or tokens_in_window tokens, to which a repeated frame adds one: that bounds its memory, as
// long as the caller takes what there is after every add().
class Packer {
 public:
  explicit Packer(const PackSettings& settings);
  ~Packer();
  Packer(Packer&&) noexcept;

  void add(FrameTokens frame, std::uint64_t number);
  // A batch while the window is full, else empty: add more.
  // The oldest frame of the window is always in it, so no frame waits for ever.
  std::optional<PackedBatch> next_batch();
  // A batch of what is left, as full as can be; empty when nothing is left.
  std::optional<PackedBatch> drain();

 private:
  struct Window;
  std::unique_ptr<Window> window_;
};

}  // namespace virnucpro

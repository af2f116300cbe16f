#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

inline constexpr std::uint16_t kNoToken = 0xffff;

// One merge of a byte-pair encoding: the neighbours `left` and `right` become the token `made`.
struct PairMerge {
  std::uint16_t left;
  std::uint16_t right;
  std::uint16_t made;
};

// Finds the rank of a pair's merge, in a flat hash table that is at most a quarter full.
class PairRanks {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit PairRanks(std::span<const PairMerge> merges);
  std::uint32_t rank(std::uint16_t left, std::uint16_t right) const {
    const std::uint32_t key = key_of(left, right);
    std::size_t slot = slot_of(key);
    while (slots_[slot].key != key && slots_[slot].key != kNone) slot = (slot + 1) & mask_;
    return slots_[slot].rank;
  }

 private:
  struct Slot {
    std::uint32_t key = kNone;
    std::uint32_t rank = kNone;
  };
  static std::uint32_t key_of(std::uint16_t left, std::uint16_t right) {
    return (std::uint32_t{left} << 16U) | right;
  }
  std::size_t slot_of(std::uint32_t key) const {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32U) & mask_;
  }

  std::size_t mask_;
  std::vector<Slot> slots_;
};

// Byte-pair encoding (Sennrich et al., 2016) of texts of known letters. Its definition: do the
// possible merge of the lowest rank, at its leftmost place, and repeat until no merge is possible.
//
// The class does not do these merges one by one. Two tokens are called compatible if the encoding
// of their joined text is just these two tokens. A split of a text into tokens is its encoding if
// and only if all neighbours are compatible. The reason: a merge depends only on its pair, so the
// first merge across a border of the split also happens in the joined text of the two tokens at
// this border, and vice versa. So exactly one split has only compatible neighbours. encode()
// searches for it from left to right and tries the longest token first. The text before a position
// has only one such split, so no dead end is tried twice, and the time is linear in the length.
class BytePairs {
 public:
  // The token of each byte, or kNoToken.
  using Letters = std::array<std::uint16_t, 256>;
  static constexpr std::size_t kMaxTokenLetters = 64;
  static constexpr std::size_t kMaxTrieCells = std::size_t{1} << 22U;

  // `merges` are in the order of their ranks, with tokens below `vocabulary`. Both parts of a merge
  // must be letters or results of earlier merges, and two merges may not have the same result;
  // training ensures both. Errors: kTokenizer, naming `file`, if a merge breaks these rules or the
  // tables would exceed the limits above.
  BytePairs(const Letters& letters, std::span<const PairMerge> merges, std::size_t vocabulary,
            const std::string& file);

  // Appends the encoding of `word` to `tokens`. Every byte of `word` must have a token in Letters.
  void encode(std::string_view word, std::vector<std::uint16_t>& tokens) const;

 private:
  struct Piece {
    std::uint32_t made = 0;  // the time of its merge: 1 + rank; 0 for letters
    std::uint16_t left = kNoToken;
    std::uint16_t right = kNoToken;
    std::uint16_t shorter = kNoToken;  // the longest other token that its text begins with
    std::uint8_t letters = 0;          // letters in its text; 0: no encoding has this token
  };

  void add_letters(const Letters& letters);
  void add_merge(std::size_t rank, const PairMerge& merge, const std::string& file);
  void build_trie(const std::string& file);
  void insert(std::uint16_t token, const std::string& file);
  bool merges_across(std::uint16_t left, std::uint16_t right, std::uint32_t before) const;
  std::uint16_t longest_at(std::string_view text) const;

  PairRanks ranks_;
  std::vector<Piece> pieces_;             // indexed by token
  std::vector<std::string> texts_;        // indexed by token
  std::array<std::uint8_t, 256> code_{};  // [letter]: its code, from 0
  std::size_t width_ = 0;                 // how many letters have a code
  std::vector<std::uint32_t> children_;   // [node][code]: the child; 0: none
  std::vector<std::uint16_t> token_at_;   // [node]: the token that ends there, or kNoToken
};

}  // namespace virnucpro

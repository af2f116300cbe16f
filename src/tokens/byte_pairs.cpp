#include "tokens/byte_pairs.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kSparse = 4;  // slots of the hash table per merge

[[noreturn]] void refuse(const std::string& file, std::string detail) {
  throw Error(ErrorKind::kTokenizer, Place{.file = file}, std::move(detail));
}

}  // namespace

PairRanks::PairRanks(std::span<const PairMerge> merges)
    : mask_(std::bit_ceil(kSparse * merges.size() + 1) - 1), slots_(mask_ + 1) {
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::uint32_t key = key_of(merges[rank].left, merges[rank].right);
    std::size_t slot = slot_of(key);
    while (slots_[slot].key != kNone && slots_[slot].key != key) slot = (slot + 1) & mask_;
    slots_[slot] = {.key = key, .rank = static_cast<std::uint32_t>(rank)};
  }
}

BytePairs::BytePairs(const Letters& letters, std::span<const PairMerge> merges,
                     std::size_t vocabulary, const std::string& file)
    : ranks_(merges), pieces_(vocabulary), texts_(vocabulary) {
  add_letters(letters);
  for (std::size_t rank = 0; rank < merges.size(); ++rank) add_merge(rank, merges[rank], file);
  build_trie(file);
}

void BytePairs::add_letters(const Letters& letters) {
  for (std::size_t byte = 0; byte < letters.size(); ++byte) {
    if (letters[byte] == kNoToken) continue;
    code_[byte] = static_cast<std::uint8_t>(width_++);
    pieces_[letters[byte]].letters = 1;
    texts_[letters[byte]] = static_cast<char>(byte);
  }
}

void BytePairs::add_merge(std::size_t rank, const PairMerge& merge, const std::string& file) {
  const auto [left, right, made] = merge;
  if (texts_[left].empty() || texts_[right].empty()) {
    refuse(file, fmt::format("model.merges[{}] joins a token that no earlier merge makes", rank));
  }
  if (!texts_[made].empty()) {
    refuse(file, fmt::format("model.merges[{}] makes a token that exists already", rank));
  }
  texts_[made] = texts_[left] + texts_[right];
  if (texts_[made].size() > kMaxTokenLetters) {
    refuse(file, fmt::format("model.merges[{}] makes a token of more than {} letters", rank,
                             kMaxTokenLetters));
  }
  Piece& piece = pieces_[made];
  piece.made = static_cast<std::uint32_t>(rank + 1);
  piece.left = left;
  piece.right = right;
  // The token keeps 0 letters if no encoding contains it: if no encoding contains one of its
  // halves, or if an earlier merge joins letters across the border between the halves.
  const bool parts_come_out = pieces_[left].letters != 0 && pieces_[right].letters != 0;
  if (!parts_come_out || merges_across(left, right, piece.made)) return;
  piece.letters = static_cast<std::uint8_t>(texts_[made].size());
}

void BytePairs::build_trie(const std::string& file) {
  token_at_.push_back(kNoToken);
  children_.resize(width_);
  for (std::size_t token = 0; token < pieces_.size(); ++token) {
    if (pieces_[token].letters != 0) insert(static_cast<std::uint16_t>(token), file);
  }
  // This loop is separate from the first, because longest_at() needs the complete trie.
  for (std::size_t token = 0; token < pieces_.size(); ++token) {
    if (pieces_[token].letters < 2) continue;
    std::string_view begin = texts_[token];
    begin.remove_suffix(1);
    pieces_[token].shorter = longest_at(begin);
  }
}

void BytePairs::insert(std::uint16_t token, const std::string& file) {
  std::size_t node = 0;
  for (const char letter : texts_[token]) {
    const std::size_t cell = node * width_ + code_[static_cast<unsigned char>(letter)];
    if (children_[cell] == 0) {
      if (children_.size() + width_ > kMaxTrieCells) {
        refuse(file, fmt::format("the table to look up tokens would have more than {} entries",
                                 kMaxTrieCells));
      }
      children_[cell] = static_cast<std::uint32_t>(token_at_.size());
      token_at_.push_back(kNoToken);
      children_.resize(children_.size() + width_);
    }
    node = children_[cell];
  }
  token_at_[node] = token;
}

// True if encoding the joined text of two tokens does a merge across their border before the time
// `before`. The time of a merge is 1 + rank, as in Piece::made.
//
// The loop goes back in time. x and y are the tokens left and right of the border; until_x and
// until_y are the times at which they become parts of larger tokens. x and y merge if the time of
// their merge comes before both of these times. If two times are equal, the same merge is possible
// at two places, and the left place comes first: x with its left neighbour, then x with y, then y
// with its right neighbour.
bool BytePairs::merges_across(std::uint16_t left, std::uint16_t right, std::uint32_t before) const {
  std::uint16_t x = left;
  std::uint16_t y = right;
  std::uint32_t until_x = before;
  std::uint32_t until_y = before;
  while (true) {
    const std::uint32_t rank = ranks_.rank(x, y);
    if (rank != PairRanks::kNone && rank + 1 < until_x && rank + 1 <= until_y) return true;
    const Piece& of_x = pieces_[x];
    const Piece& of_y = pieces_[y];
    if (of_x.made > of_y.made) {
      until_x = of_x.made;
      x = of_x.right;
    } else if (of_y.made != 0) {
      until_y = of_y.made;
      y = of_y.left;
    } else {
      return false;
    }
  }
}

std::uint16_t BytePairs::longest_at(std::string_view text) const {
  std::uint16_t longest = kNoToken;
  std::size_t node = 0;
  for (const char letter : text) {
    node = children_[node * width_ + code_[static_cast<unsigned char>(letter)]];
    if (node == 0) break;
    if (token_at_[node] != kNoToken) longest = token_at_[node];
  }
  return longest;
}

void BytePairs::encode(std::string_view word, std::vector<std::uint16_t>& tokens) const {
  const std::size_t first = tokens.size();
  std::vector<bool> dead_end;  // by position; empty until the first dead end, which is rare
  const auto possible = [&](std::uint16_t token, std::size_t end) {
    if (!dead_end.empty() && dead_end[end]) return false;
    return tokens.size() == first || !merges_across(tokens.back(), token, PairRanks::kNone);
  };
  std::size_t position = 0;
  std::uint16_t token = longest_at(word);
  while (position < word.size()) {
    while (token != kNoToken && !possible(token, position + pieces_[token].letters)) {
      token = pieces_[token].shorter;
    }
    if (token != kNoToken) {
      tokens.push_back(token);
      position += pieces_[token].letters;
      token = longest_at(word.substr(position));
      continue;
    }
    if (tokens.size() == first)
      throw Error(ErrorKind::kInternal, "no sequence of tokens was found for a text");
    dead_end.resize(word.size() + 1);
    dead_end[position] = true;
    const std::uint16_t last = tokens.back();
    tokens.pop_back();
    position -= pieces_[last].letters;
    token = pieces_[last].shorter;
  }
}

}  // namespace virnucpro

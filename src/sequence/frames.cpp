#include "sequence/frames.hpp"

#include <algorithm>
#include <cstddef>

namespace virnucpro {
namespace {

constexpr std::uint8_t kUnknown = 64;  // an unknown letter makes its codon's index 64 or more

constexpr auto kBaseIndex = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kUnknown);
  table['A'] = 0;
  table['C'] = 1;
  table['G'] = 2;
  table['T'] = 3;
  return table;
}();

constexpr std::array<char, 256> upper_table(char u) {
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    const bool lower = byte >= 'a' && byte <= 'z';
    table[byte] = static_cast<char>(lower ? byte - 'a' + 'A' : byte);
  }
  table['U'] = table['u'] = u;
  return table;
}
constexpr auto kUpper = upper_table('U');
constexpr auto kUpperOfRna = upper_table('T');

constexpr auto kPlainComplement = [] {
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = static_cast<char>(byte);
  table['A'] = 'T';
  table['C'] = 'G';
  table['G'] = 'C';
  table['T'] = 'A';
  return table;
}();

std::size_t codon_index(const char* codon) {
  const auto base = [codon](std::size_t i) -> std::size_t {
    return kBaseIndex[static_cast<unsigned char>(codon[i])];
  };
  return base(0) * 16 + base(1) * 4 + base(2);
}

// Translates `strand` from `offset` on, and skips codons with unknown letters. Returns false at a
// stop codon.
bool translate(std::string_view strand, std::size_t offset, std::string_view residues,
               std::string& protein) {
  protein.clear();
  for (std::size_t i = offset; i + 3 <= strand.size(); i += 3) {
    const std::size_t codon = codon_index(strand.data() + i);
    if (codon >= residues.size()) continue;
    const char residue = residues[codon];
    if (residue == '*') return false;
    protein += residue;
  }
  return true;
}

void append_frames(std::string_view strand, std::uint8_t first_name, std::string_view residues,
                   std::string& protein, std::vector<Frame>& frames) {
  for (std::uint8_t offset = 0; offset < 3; ++offset) {
    if (!translate(strand, offset, residues, protein) || protein.empty()) continue;
    frames.push_back({.name = static_cast<std::uint8_t>(first_name + offset),
                      .nucleotides = std::string(strand.substr(offset, 1 + 3 * protein.size())),
                      .protein = protein});
  }
}

}  // namespace

std::string upper_case(std::string_view letters, const Translation& translation) {
  const auto& table = translation.rna ? kUpperOfRna : kUpper;
  std::string upper(letters);
  std::ranges::transform(upper, upper.begin(), [&table](char letter) {
    return table[static_cast<unsigned char>(letter)];
  });
  return upper;
}

std::vector<Frame> stop_free_frames(std::string_view chunk, const Translation& translation) {
  std::string strand = upper_case(chunk, translation);
  const std::string_view residues = amino_acids(translation.genetic_code);
  std::vector<Frame> frames;
  std::string protein;
  append_frames(strand, 0, residues, protein, frames);
  std::reverse(strand.begin(), strand.end());
  std::ranges::transform(strand, strand.begin(), [](char letter) {
    return kPlainComplement[static_cast<unsigned char>(letter)];
  });
  append_frames(strand, 3, residues, protein, frames);
  return frames;
}

}  // namespace virnucpro

#include "engine/canary.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace {

// Residues of each protein. Some proteins are longer than one tile of attention's queries (64).
constexpr std::array<std::size_t, 4> kResidues{5, 37, 90, 168};
constexpr std::uint8_t kFirstResidue = 4;
constexpr std::uint32_t kResidueKinds = 20;
constexpr std::uint16_t kDnaClass = 1;
constexpr std::uint16_t kDnaEnd = 2;
constexpr std::uint32_t kFirstPiece = 5;

// Steps between consecutive token ids. They spread the ids over the whole vocabulary.
constexpr std::uint32_t kEsmStep = 7;
constexpr std::uint32_t kDnaStep = 1009;

void add_protein(std::size_t residues, PackedFrames& frames) {
  frames.esm_tokens.push_back(kEsmCls);
  for (std::uint32_t i = 0; i < residues; ++i) {
    frames.esm_tokens.push_back(
        static_cast<std::uint8_t>(kFirstResidue + i * kEsmStep % kResidueKinds));
  }
  frames.esm_tokens.push_back(kEsmEos);
  frames.esm_offsets.push_back(static_cast<std::uint32_t>(frames.esm_tokens.size()));
}

void add_nucleotides(std::size_t pieces, std::uint32_t vocabulary, PackedFrames& frames) {
  if (vocabulary > kFirstPiece) {
    frames.dna_tokens.push_back(kDnaClass);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      frames.dna_tokens.push_back(
          static_cast<std::uint16_t>(kFirstPiece + i * kDnaStep % (vocabulary - kFirstPiece)));
    }
    frames.dna_tokens.push_back(kDnaEnd);
  }
  frames.dna_offsets.push_back(static_cast<std::uint32_t>(frames.dna_tokens.size()));
}

// Compares bits, so that NaN equals NaN.
bool same_bits(const std::vector<float>& one, const std::vector<float>& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
}

}  // namespace

BatchRequest canary_batch(std::uint32_t vocabulary) {
  BatchRequest request;
  for (const std::size_t residues : kResidues) {
    add_protein(residues, request.frames);
    add_nucleotides(residues / 2 + 1, vocabulary, request.frames);
  }
  return request;
}

std::size_t canary_tokens() {
  std::size_t tokens = 0;
  for (const std::size_t residues : kResidues) tokens += residues + 2;
  return tokens;
}

bool same_answer(const BatchResult& one, const BatchResult& other) {
  return same_bits(one.scores, other.scores) && same_bits(one.dnabert_s, other.dnabert_s) &&
         same_bits(one.esm2, other.esm2);
}

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace virnucpro {

// The rules by which codons become amino acids. A run can be resumed only with the same rules.
struct Translation {
  // NCBI's number of the genetic code: 1, 4, 15 or 25 (https://www.ncbi.nlm.nih.gov/Taxonomy/Utils/
  // wprintgc.cgi). Tables in which a codon is both a stop and an amino acid are left out: the
  // program could not tell whether a frame has a stop.
  std::uint32_t genetic_code = 1;
  bool rna = false;  // true: U is read as T
};

inline constexpr std::string_view kGeneticCodes = "1, 4, 11, 15 or 25";

// Returns the supported code for NCBI's `number`; empty if it is not supported. For 11 the result
// is 1: these two codes differ only in their start codons.
std::optional<std::uint32_t> known_genetic_code(std::uint64_t number);

// Returns the amino acids of the codons AAA, AAC, AAG, AAT, ACA … TTT; '*' is a stop codon. `code`
// must be a result of known_genetic_code().
std::string_view amino_acids(std::uint32_t code);

}  // namespace virnucpro

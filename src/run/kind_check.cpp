#include "run/kind_check.hpp"

#include <cstdint>

#include "base/log.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

// Warn if at least 20 letters are odd, and at least 1/8 of a nucleotide sequence or 7/8 of a
// protein. In a real protein a third of the letters are not IUPAC codes of nucleotides, and a
// quarter are A, C, G, T or N.
constexpr std::uint64_t kFewest = 20;
constexpr std::uint64_t kEighthsOfNucleotides = 1;
constexpr std::uint64_t kEighthsOfProteins = 7;

}  // namespace

void KindCheck::look(const FramePart& part) {
  const std::uint64_t eighths = is_of_proteins_ ? kEighthsOfProteins : kEighthsOfNucleotides;
  const std::uint64_t odd = part.odd_letters;
  if (has_warned_ || odd < kFewest || 8 * odd < eighths * part.part.length) return;
  has_warned_ = true;
  if (is_of_proteins_) {
    log_warning(
        "sequence {}: {} of {} letters are A, C, G, T, U or N: is it a protein? Leave --proteins "
        "out for nucleotides",
        shown_text(part.part.id), odd, part.part.length);
  } else {
    log_warning(
        "sequence {}: {} of {} letters are not nucleotides: is it a protein? virnucpro embed "
        "--proteins takes proteins, predict takes nucleotides",
        shown_text(part.part.id), odd, part.part.length);
  }
}

}  // namespace virnucpro

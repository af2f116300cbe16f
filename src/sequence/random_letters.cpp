#include "sequence/random_letters.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kGcSteps = 4096;  // a GC share is counted in steps of 1/4096

std::uint64_t plain_steps(Fraction gc) {
  return (kGcSteps * gc.numerator + gc.denominator / 2) / gc.denominator;
}

// True if coding sequences from letters drawn with `steps` have at least the GC share `gc`.
// Refusing stop codons, which are rich in A and T, raises the GC share of the other codons. Let
// s = steps / kGcSteps. G and C are each drawn with probability g = s/2, and A and T each with
// a = 1/2 - g. Then the share is
//   (3s - 2 a²g) / 3(1 - a³ - 2 a²g),
// which rises with s. So a binary search finds the fewest steps that reach the share. With a and g
// in units of 1/(2·kGcSteps) all terms are integers below 2^41.
bool reaches(std::uint64_t steps, Fraction gc) {
  const std::uint64_t unit = 2 * kGcSteps;
  const std::uint64_t g = steps;
  const std::uint64_t a = kGcSteps - steps;
  const std::uint64_t numerator = 6 * g * unit * unit - 2 * a * a * g;
  const std::uint64_t denominator = 3 * (unit * unit * unit - a * a * a - 2 * a * a * g);
  return numerator * gc.denominator >= denominator * gc.numerator;
}

std::uint64_t coding_steps(Fraction gc) {
  std::uint64_t low = 0;
  std::uint64_t high = kGcSteps;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (reaches(middle, gc)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

RandomLetters::RandomLetters(Fraction gc)
    : plain_gc_(plain_steps(gc)), coding_gc_(coding_steps(gc)) {}

}  // namespace virnucpro

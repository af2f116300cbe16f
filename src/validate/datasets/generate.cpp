#include "validate/datasets/generate.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "sequence/record.hpp"
#include "validate/datasets/random_stream.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40U;
constexpr std::size_t kPieceBytes = 256U << 10U;
constexpr std::uint64_t kGcSteps = 4096;  // a GC share is drawn in whole steps

// Draws one of ACGT: G or C in `gc_steps` of kGcSteps draws.
char draw_letter(RandomStream& stream, std::uint64_t gc_steps) {
  const std::uint64_t bits = stream.next();
  const bool second = (bits & 1U) != 0;
  if (bits >> 52U < gc_steps) return second ? 'C' : 'G';
  return second ? 'T' : 'A';
}

bool is_stop(const std::array<char, 3>& codon) {
  return codon[0] == 'T' && ((codon[1] == 'A' && (codon[2] == 'A' || codon[2] == 'G')) ||
                             (codon[1] == 'G' && codon[2] == 'A'));
}

std::array<char, 3> draw_codon(RandomStream& stream, std::uint64_t gc_steps) {
  std::array<char, 3> codon{};
  do {
    for (char& letter : codon) letter = draw_letter(stream, gc_steps);
  } while (is_stop(codon));
  return codon;
}

std::uint64_t plain_steps(Fraction gc) {
  return (kGcSteps * gc.numerator + gc.denominator / 2) / gc.denominator;
}

// True if `steps` give the GC share. Refusing stop codons, which are rich in A and T, raises the GC
// share of the rest. With letters drawn at g = s/2 for each of G and C, and at a = 1/2 - g for each
// of A and T, the share becomes
//   (3s - 2 a²g) / 3(1 - a³ - 2 a²g),
// which rises with s. So the smallest step that reaches the share is the nearest or the next above.
// With a and g in units of 1/(2·kGcSteps) all terms are integers below 2^41.
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

// True if sequence `index` is coding. Coding sequences are spread evenly, so that every prefix of
// the output has the requested share, to within one sequence.
bool is_coding(std::uint64_t index, Fraction share) {
  return (index + 1) * share.numerator / share.denominator >
         index * share.numerator / share.denominator;
}

// Collects text and passes it on in pieces, for sequences of any length.
class Writer {
 public:
  explicit Writer(const TextSink& sink) : sink_(sink) {}

  void header(std::uint64_t number) {
    fmt::format_to(std::back_inserter(text_), ">seq_{}\n", number);
    column_ = 0;
  }
  void letter(char letter) {
    text_ += letter;
    gc_bases_ += letter == 'G' || letter == 'C' ? 1U : 0U;
    if (++column_ == kFastaColumns) end_line();
  }
  void end_sequence() {
    if (column_ != 0) end_line();
  }
  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }
  std::uint64_t gc_bases() const { return gc_bases_; }

 private:
  void end_line() {
    text_ += '\n';
    column_ = 0;
    if (text_.size() >= kPieceBytes) flush();
  }

  const TextSink& sink_;
  std::string text_;
  std::size_t column_ = 0;
  std::uint64_t gc_bases_ = 0;
};

void check(const GenerateSettings& settings) {
  if (settings.count > kMaxCount) {
    throw Error(ErrorKind::kUsage, fmt::format("at most {} sequences", kMaxCount));
  }
  if (!is_possible(settings.length)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("lengths out of bounds: {}", lengths_text(settings.length)));
  }
  if (!is_share(settings.gc) || !is_share(settings.coding)) {
    throw Error(ErrorKind::kUsage, "the shares of GC and coding sequences lie between 0 and 1");
  }
}

// Draws the letters of sequences.
class Letters {
 public:
  explicit Letters(Fraction gc) : plain_gc_(plain_steps(gc)), coding_gc_(coding_steps(gc)) {}

  // Checks whole codons only: letters after the last codon cannot form a stop codon.
  void write(RandomStream stream, std::uint64_t length, bool coding, Writer& writer) const {
    const std::uint64_t codons = coding ? length / 3 : 0;
    for (std::uint64_t i = 0; i < codons; ++i) {
      for (const char letter : draw_codon(stream, coding_gc_)) writer.letter(letter);
    }
    for (std::uint64_t i = 3 * codons; i < length; ++i) {
      writer.letter(draw_letter(stream, plain_gc_));
    }
  }

 private:
  std::uint64_t plain_gc_;
  std::uint64_t coding_gc_;
};

}  // namespace

void generate_fasta(const GenerateSettings& settings, const TextSink& sink) {
  GeneratedFigures figures;  // not used here
  generate_fasta(settings, {.begin = 0, .end = settings.count}, sink, figures);
}

void generate_fasta(const GenerateSettings& settings, SequenceSpan span, const TextSink& sink,
                    GeneratedFigures& figures) {
  check(settings);
  const Letters letters(settings.gc);
  Writer writer(sink);
  for (std::uint64_t index = span.begin; index < span.end; ++index) {
    const std::uint64_t length = draw_length(settings.length, settings.seed, index);
    const bool coding = is_coding(index, settings.coding);
    writer.header(index + 1);
    letters.write(RandomStream(settings.seed, index), length, coding, writer);
    writer.end_sequence();
    figures.lengths.add(length);
    figures.coding_sequences += coding ? 1U : 0U;
  }
  writer.flush();
  figures.gc_bases += writer.gc_bases();
}

}  // namespace virnucpro

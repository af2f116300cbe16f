#include "validate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "sequence/fasta_text.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40U;
constexpr std::size_t kMaxDecimals = 6;
constexpr std::size_t kPieceBytes = 256U << 10U;
constexpr std::uint64_t kGcSteps = 4096;  // letters are drawn with a GC share of whole steps

// The random stream of one sequence.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t index) : state_(splitmix64(splitmix64(seed) ^ index)) {}

  std::uint64_t next() {
    const std::uint64_t value = splitmix64(state_);
    state_ += kSplitMixStep;
    return value;
  }

 private:
  std::uint64_t state_;
};

// One of ACGT: G or C for `gc_steps` of kGcSteps draws.
char draw_letter(Stream& stream, std::uint64_t gc_steps) {
  const std::uint64_t bits = stream.next();
  const bool second = (bits & 1U) != 0;
  if (bits >> 52U < gc_steps) return second ? 'C' : 'G';
  return second ? 'T' : 'A';
}

bool is_stop(const std::array<char, 3>& codon) {
  return codon[0] == 'T' && ((codon[1] == 'A' && (codon[2] == 'A' || codon[2] == 'G')) ||
                             (codon[1] == 'G' && codon[2] == 'A'));
}

std::array<char, 3> draw_codon(Stream& stream, std::uint64_t gc_steps) {
  std::array<char, 3> codon{};
  do {
    for (char& letter : codon) letter = draw_letter(stream, gc_steps);
  } while (is_stop(codon));
  return codon;
}

std::uint64_t plain_steps(Share gc) {
  return (kGcSteps * gc.numerator + gc.denominator / 2) / gc.denominator;
}

// Refusing stop codons, which are rich in A and T, raises the GC share of what is left. With
// letters drawn at g = s/2 each of G and C, a = 1/2 - g each of A and T, the share left is
//   (3s - 2 a²g) / 3(1 - a³ - 2 a²g),
// which rises with s: the smallest step that reaches the share asked for is the nearest to it or
// one above. In units of 1/(2·kGcSteps) for a and g all terms are integers below 2^41.
bool reaches(std::uint64_t steps, Share gc) {
  const std::uint64_t unit = 2 * kGcSteps;
  const std::uint64_t g = steps;
  const std::uint64_t a = kGcSteps - steps;
  const std::uint64_t numerator = 6 * g * unit * unit - 2 * a * a * g;
  const std::uint64_t denominator = 3 * (unit * unit * unit - a * a * a - 2 * a * a * g);
  return numerator * gc.denominator >= denominator * gc.numerator;
}

std::uint64_t coding_steps(Share gc) {
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

// Whether sequence `index` is one of the coding ones: they are spread evenly, so that every prefix
// of the output has the share asked for, to one sequence.
bool is_coding(std::uint64_t index, Share share) {
  return (index + 1) * share.numerator / share.denominator >
         index * share.numerator / share.denominator;
}

// Gathers text and hands it on in pieces, however long a sequence is.
class Writer {
 public:
  explicit Writer(const std::function<void(std::string_view)>& sink) : sink_(sink) {}

  void header(std::uint64_t number) {
    fmt::format_to(std::back_inserter(text_), ">seq_{}\n", number);
    column_ = 0;
  }
  void letter(char letter) {
    text_ += letter;
    if (++column_ == kFastaColumns) end_line();
  }
  void end_sequence() {
    if (column_ != 0) end_line();
  }
  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  void end_line() {
    text_ += '\n';
    column_ = 0;
    if (text_.size() >= kPieceBytes) flush();
  }

  const std::function<void(std::string_view)>& sink_;
  std::string text_;
  std::size_t column_ = 0;
};

void check(const GenerateSettings& settings) {
  const auto is_share = [](Share share) {
    return share.denominator != 0 && share.denominator <= kMaxShareDenominator &&
           share.numerator <= share.denominator;
  };
  if (settings.count > kMaxCount) {
    throw Error(ErrorKind::kUsage, fmt::format("at most {} sequences", kMaxCount));
  }
  if (settings.length > kMaxLetters) {
    throw Error(ErrorKind::kUsage, fmt::format("at most {} letters a sequence", kMaxLetters));
  }
  if (!is_share(settings.gc) || !is_share(settings.coding)) {
    throw Error(ErrorKind::kUsage, "the shares of GC and coding sequences lie between 0 and 1");
  }
}

}  // namespace

Share parse_share(std::string_view text, std::string_view option) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  std::string digits(text.substr(0, point));
  bool readable = digits.size() <= 1 && decimals.size() <= kMaxDecimals;
  digits += decimals;
  readable = readable && !digits.empty() &&
             std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  Share share;
  if (readable) {
    for (const char digit : digits) {
      share.numerator = share.numerator * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    for (std::size_t i = 0; i < decimals.size(); ++i) share.denominator *= 10;
  }
  if (!readable || share.numerator > share.denominator) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected a number from 0 to 1 with at most six decimals, found {}",
                            option, text));
  }
  return share;
}

void generate_fasta(const GenerateSettings& settings,
                    const std::function<void(std::string_view)>& sink) {
  check(settings);
  const std::uint64_t plain_gc = plain_steps(settings.gc);
  const std::uint64_t coding_gc = coding_steps(settings.gc);
  Writer writer(sink);
  for (std::uint64_t index = 0; index < settings.count; ++index) {
    Stream stream(settings.seed, index);
    writer.header(index + 1);
    const std::uint64_t codons = is_coding(index, settings.coding) ? settings.length / 3 : 0;
    for (std::uint64_t i = 0; i < codons; ++i) {
      for (const char letter : draw_codon(stream, coding_gc)) writer.letter(letter);
    }
    for (std::uint64_t i = 3 * codons; i < settings.length; ++i) {
      writer.letter(draw_letter(stream, plain_gc));
    }
    writer.end_sequence();
  }
  writer.flush();
}

}  // namespace virnucpro

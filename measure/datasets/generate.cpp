#include "measure/datasets/generate.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "base/error.hpp"
#include "sequence/random_letters.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40U;
constexpr std::size_t kPieceBytes = 256U << 10U;

// True if sequence `index` is coding. Coding sequences are spread evenly, so that every prefix of
// the output has the requested share, to within one sequence.
bool is_coding(std::uint64_t index, Fraction share) {
  return (index + 1) * share.numerator / share.denominator >
         index * share.numerator / share.denominator;
}

// Collects text and passes it to the sink in pieces, for sequences of any length.
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
    throw Error(ErrorKind::kUsage,
                fmt::format("{} sequences: expected at most {}", settings.count, kMaxCount));
  }
  if (!is_possible(settings.length)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "lengths {}: expected numbers from 0 to {} in ascending order, and a sigma from 0 "
            "to {}",
            lengths_text(settings.length), kMaxLetters, kMaxSigma));
  }
  if (!is_share(settings.gc) || !is_share(settings.coding)) {
    throw Error(ErrorKind::kUsage, "the shares of GC and of coding sequences must be from 0 to 1");
  }
}

}  // namespace

void generate_fasta(const GenerateSettings& settings, const TextSink& sink) {
  GeneratedFigures figures;  // not used here
  generate_fasta(settings, {.begin = 0, .end = settings.count}, sink, figures);
}

void generate_fasta(const GenerateSettings& settings, SequenceSpan span, const TextSink& sink,
                    GeneratedFigures& figures) {
  check(settings);
  const RandomLetters letters(settings.gc);
  Writer writer(sink);
  for (std::uint64_t index = span.begin; index < span.end; ++index) {
    const std::uint64_t length = draw_length(settings.length, settings.seed, index);
    const bool coding = is_coding(index, settings.coding);
    writer.header(index + 1);
    letters.draw(RandomStream(settings.seed, index), length, coding,
                 [&writer](char letter) { writer.letter(letter); });
    writer.end_sequence();
    figures.lengths.add(length);
    figures.coding_sequences += coding ? 1U : 0U;
  }
  writer.flush();
  figures.gc_bases += writer.gc_bases();
}

}  // namespace virnucpro

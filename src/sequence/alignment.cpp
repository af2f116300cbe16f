#include "sequence/alignment.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace virnucpro {
namespace {

// Bits of SAM's field FLAG.
constexpr unsigned kPaired = 0x1;
constexpr unsigned kUnmapped = 0x4;
constexpr unsigned kReverse = 0x10;
constexpr unsigned kFirstMate = 0x40;
constexpr unsigned kLastMate = 0x80;
constexpr unsigned kSecondary = 0x100;
constexpr unsigned kSupplementary = 0x800;

struct Magic {
  std::string_view bytes;
  AlignmentFormat format;
};

constexpr std::array<Magic, 7> kMagics{{{"BAM\1", AlignmentFormat::kBam},
                                        {"CRAM", AlignmentFormat::kCram},
                                        {"@HD\t", AlignmentFormat::kSam},
                                        {"@SQ\t", AlignmentFormat::kSam},
                                        {"@RG\t", AlignmentFormat::kSam},
                                        {"@PG\t", AlignmentFormat::kSam},
                                        {"@CO\t", AlignmentFormat::kSam}}};

constexpr auto kIupacComplement = [] {
  constexpr std::string_view kLetters = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
  constexpr std::string_view kPartners = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = static_cast<char>(byte);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    table[static_cast<unsigned char>(kLetters[i])] = kPartners[i];
  }
  return table;
}();

constexpr std::array<std::string_view, 3> kMateSuffixes{"", "/1", "/2"};

}  // namespace

std::optional<AlignmentFormat> alignment_format(std::string_view start) {
  const auto* const found =
      std::find_if(kMagics.begin(), kMagics.end(),
                   [start](const Magic& magic) { return start.starts_with(magic.bytes); });
  return found == kMagics.end() ? std::nullopt : std::optional(found->format);
}

std::string_view name_of(AlignmentFormat format) {
  switch (format) {
    case AlignmentFormat::kBam:
      return "BAM";
    case AlignmentFormat::kSam:
      return "SAM";
    case AlignmentFormat::kCram:
      return "CRAM";
  }
  return "";
}

bool is_primary_mapped(unsigned flags) {
  return (flags & (kUnmapped | kSecondary | kSupplementary)) == 0;
}

bool is_reverse(unsigned flags) {
  return (flags & kReverse) != 0;
}

unsigned mate_of(unsigned flags) {
  if ((flags & kPaired) == 0) return 0;
  const unsigned mate = flags & (kFirstMate | kLastMate);
  if (mate == kFirstMate) return 1;
  return mate == kLastMate ? 2 : 0;
}

bool SkippedAlignments::skip(unsigned flags) {
  if ((flags & kSecondary) != 0) {
    ++secondary;
    return true;
  }
  if ((flags & kSupplementary) != 0) {
    ++supplementary;
    return true;
  }
  return false;
}

void SkippedAlignments::add(const SkippedAlignments& others) {
  secondary += others.secondary;
  supplementary += others.supplementary;
}

bool UnplacedAlignments::skip(unsigned flags) {
  if ((flags & kUnmapped) == 0) return repeats.skip(flags);
  ++unmapped;
  return true;
}

SequenceRecord original_read(unsigned flags, SequenceRecord aligned) {
  aligned.mate = mate_of(flags);
  const std::string_view suffix = kMateSuffixes.at(aligned.mate);
  if (!aligned.header.ends_with(suffix)) aligned.header += suffix;
  if (is_reverse(flags)) {
    reverse_complement(aligned.letters);
    std::ranges::reverse(aligned.qualities);
  }
  return aligned;
}

void reverse_complement(std::string& letters) {
  std::reverse(letters.begin(), letters.end());
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](char letter) { return kIupacComplement[static_cast<unsigned char>(letter)]; });
}

bool is_one_word(std::string_view name) {
  return !name.empty() && name.find('\0') == std::string_view::npos && sequence_id(name) == name;
}

}  // namespace virnucpro

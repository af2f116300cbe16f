#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace virnucpro {

// How many letters a sequence can have: up to the largest signed 32-bit number.
inline constexpr std::size_t kMaxLetters = 2'147'483'647;

// The largest size of an id in bytes, unless the user allows more. It is limited because each row
// of the tables repeats the id. Usual ids have tens to hundreds of bytes; BAM allows 254.
inline constexpr std::size_t kLongestId = 4096;
// The largest size of an id in bytes that a user can allow.
inline constexpr std::size_t kLongestAllowedId = 64U << 10U;
// The largest size of a header line or a '+' line in bytes: it must hold the tags that `samtools
// fastq -T MM,ML` writes behind a long read's id.
inline constexpr std::size_t kLongestHeader = 16U << 20U;

struct SequenceRecord {
  std::string header;        // the header line without '>' or '@' and line end, or only the id
  std::string letters;       // in the input's case, without white space
  std::string qualities{};   // as FASTQ writes them; empty if not asked for, or if there are none
  std::uint64_t number = 0;  // 1-based, within its input
  unsigned mate = 0;         // 1 or 2 in a pair; 0 if that is not known
};

// Returns the header's first word, as Python's str.split() on UTF-8 finds it; bytes that are not
// UTF-8 are kept (docs/reference/semantics.md, section 1). Empty for an empty header.
std::string_view sequence_id(std::string_view header);

// Returns the header without the white space (as Python defines it) at its start and end.
std::string_view trimmed_header(std::string_view header);

// Counts the letters that are not IUPAC nucleotide codes (ACGTU RYSWKM BDHV N, either case): gaps,
// digits, protein letters. The computation treats them as unknown letters; users are warned.
std::uint64_t count_outside_iupac(std::string_view letters);

// Returns the letters that are not IUPAC nucleotide codes, each once.
std::string letters_outside_iupac(std::string_view letters);

// Counts the IUPAC codes that stand for more than one base, such as N.
std::uint64_t count_ambiguous(std::string_view letters);

// True for a visible ASCII character.
inline bool is_graphic(char letter) {
  return letter > ' ' && letter < '\x7f';
}
bool all_graphic(std::string_view text);

inline constexpr std::size_t kFastaColumns = 60;

// Appends one FASTA record to `out`: the header, and the letters, if any, in lines of 60.
void append_fasta_60(std::string& out, std::string_view header, std::string_view letters);

// Appends one FASTA record to `out`, all letters on one line.
void append_fasta_line(std::string& out, std::string_view header, std::string_view letters);

void append_fastq(std::string& out, std::string_view header, std::string_view letters,
                  std::string_view qualities);

// Says whether to keep the qualities, which few runs need.
enum class Qualities : std::uint8_t { kPassOver, kKeep };
// Says whether to keep a header's text after the id. Only runs that write sequences need this text.
enum class Headers : std::uint8_t { kIdAlone, kWhole };

}  // namespace virnucpro

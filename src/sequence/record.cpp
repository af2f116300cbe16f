#include "sequence/record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace virnucpro {

namespace {

using LetterTable = std::array<bool, 256>;

constexpr LetterTable table_of(std::string_view letters) {
  LetterTable table{};
  for (const char letter : letters) table[static_cast<unsigned char>(letter)] = true;
  return table;
}

constexpr LetterTable kIsIupac = table_of("ACGTURYSWKMBDHVNacgturyswkmbdhvn");
constexpr LetterTable kIsAmbiguous = table_of("RYSWKMBDHVNryswkmbdhvn");

std::uint64_t count_of(const LetterTable& table, std::string_view letters) {
  std::uint64_t count = 0;
  for (const char letter : letters) count += table[static_cast<unsigned char>(letter)] ? 1U : 0U;
  return count;
}

// The white space characters of Python's str beyond ASCII, in UTF-8: U+0085, 00A0, 1680, 2000-200A,
// 2028, 2029, 202F, 205F, 3000. The first byte of a character never occurs inside another
// character, so comparing bytes is enough, even in text that is not UTF-8.
constexpr std::array<std::string_view, 19> kWideSpaces{
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

// Returns the size in bytes of the white space character that begins `text` (not empty), or 0.
std::size_t space_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    return (first >= 0x09 && first <= 0x0d) || (first >= 0x1c && first <= 0x20) ? 1 : 0;
  }
  const auto* const found = std::find_if(kWideSpaces.begin(), kWideSpaces.end(),
                                         [text](auto space) { return text.starts_with(space); });
  return found == kWideSpaces.end() ? 0 : found->size();
}

std::string_view without_leading_space(std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = space_size(text);
    if (space == 0) break;
    text.remove_prefix(space);
  }
  return text;
}

void append_header(std::string& out, std::string_view header) {
  out += '>';
  out += header;
  out += '\n';
}

}  // namespace

std::string_view sequence_id(std::string_view header) {
  header = without_leading_space(header);
  std::size_t end = 0;
  while (end < header.size() && space_size(header.substr(end)) == 0) ++end;
  return header.substr(0, end);
}

std::string_view trimmed_header(std::string_view header) {
  header = without_leading_space(header);
  std::size_t end = 0;  // end of the last character that is not white space
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t space = space_size(header.substr(at));
    at += std::max<std::size_t>(space, 1);
    if (space == 0) end = at;
  }
  return header.substr(0, end);
}

std::uint64_t count_outside_iupac(std::string_view letters) {
  return letters.size() - count_of(kIsIupac, letters);
}

std::string letters_outside_iupac(std::string_view letters) {
  LetterTable known = kIsIupac;
  std::string found;
  for (const char letter : letters) {
    if (!std::exchange(known[static_cast<unsigned char>(letter)], true)) found += letter;
  }
  return found;
}

std::uint64_t count_ambiguous(std::string_view letters) {
  return count_of(kIsAmbiguous, letters);
}

// Counts instead of searching, because the compiler can vectorise a loop without branches.
bool all_graphic(std::string_view text) {
  std::size_t others = 0;
  for (const char letter : text) others += is_graphic(letter) ? 0U : 1U;
  return others == 0;
}

void append_fasta_60(std::string& out, std::string_view header, std::string_view letters) {
  append_header(out, header);
  while (!letters.empty()) {
    const std::string_view line = letters.substr(0, kFastaColumns);
    out += line;
    out += '\n';
    letters.remove_prefix(line.size());
  }
}

void append_fasta_line(std::string& out, std::string_view header, std::string_view letters) {
  append_header(out, header);
  out += letters;
  out += '\n';
}

void append_fastq(std::string& out, std::string_view header, std::string_view letters,
                  std::string_view qualities) {
  out += '@';
  out += header;
  out += '\n';
  out += letters;
  out += "\n+\n";
  out += qualities;
  out += '\n';
}

}  // namespace virnucpro

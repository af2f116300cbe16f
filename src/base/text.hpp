#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// These parse user input strictly: the whole text or nothing. No sign, no octal, no blanks.
std::optional<std::uint64_t> parse_count(std::string_view text);
std::optional<double> parse_number(std::string_view text);  // finite
// YAML's and the environment's words: true/false, yes/no, on/off, 1/0, in any case.
std::optional<bool> parse_bool(std::string_view text);

// The parts between the commas of a list, or the tabs of a row: at least one part, which may be
// empty.
std::vector<std::string_view> split_list(std::string_view text, char separator = ',');

// The candidate that the user most likely meant, by edit distance with swaps of neighbours; empty
// when none is close (at most a third of the letters wrong) or `word` is absurdly long.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean predict?" for the end of a message about an unknown word; empty when none is
// close.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// Makes text from elsewhere (names of files, ids, messages of other programs) safe for a terminal,
// a log or a report: valid UTF-8 on one line, without characters that act on the terminal, are
// invisible or change the order of letters. All code that writes there calls it. Control characters
// and bytes that are not UTF-8 become \x1b, invisible characters outside ASCII \u202e. A second
// call changes nothing.
std::string printable(std::string_view text);
// The same for text of several lines, which keeps its line ends.
std::string printable_lines(std::string_view text);
// True if printable() changes nothing.
bool is_printable(std::string_view text);

// True if this byte is the first of a UTF-8 letter.
constexpr bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}
// The number of UTF-8 letters.
std::size_t count_letters(std::string_view text);
// The first `most` letters of UTF-8 text, or all of it.
std::string_view first_letters(std::string_view text, std::size_t most);

// 12345678 as "12,345,678".
std::string grouped(std::uint64_t number);

// Lists the first `most` texts, and says how many more there are: "a, b and 1,234 more".
std::string some_of(std::span<const std::string> texts, std::size_t most,
                    std::string_view between = ", ", std::string_view before_more = " and ");

}  // namespace virnucpro

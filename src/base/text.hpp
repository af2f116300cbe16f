#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// These parse the whole text as a decimal number, or return nothing. Blanks and '+' are refused.
std::optional<std::uint64_t> parse_count(std::string_view text);
std::optional<double> parse_number(std::string_view text);  // finite; may be negative
// Accepts true/false, yes/no, on/off and 1/0, in any case, as YAML does.
std::optional<bool> parse_bool(std::string_view text);

// Splits a list at each `separator`. Returns at least one part; parts may be empty.
std::vector<std::string_view> split_list(std::string_view text, char separator = ',');

// Returns the candidate with the fewest edits (a swap of neighbours is one edit). Empty if every
// candidate needs more edits than a third of the letters of `word` (one edit is always allowed), or
// if `word` is very long.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// Returns "; did you mean predict?" for the end of a message about an unknown word; empty if
// nearest() finds no candidate.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// Makes text from outside the program (file names, ids, messages of other programs) safe for a
// terminal, a log or a report. The result is one line of valid UTF-8, without characters that
// control the terminal, are invisible or change the order of letters. All code that writes such
// text calls this function. Control characters and bytes that are not UTF-8 are written like \x1b,
// other invisible characters like \u202e. A second call changes nothing.
std::string printable(std::string_view text);
// Like printable(), but keeps the line ends of a text of several lines.
std::string printable_lines(std::string_view text);
// True if printable() would not change the text.
bool is_printable(std::string_view text);

// True if this byte begins a UTF-8 character.
constexpr bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}
// Returns the number of characters of UTF-8 text.
std::size_t count_letters(std::string_view text);
// Returns the first `most` characters of UTF-8 text, or all of it.
std::string_view first_letters(std::string_view text, std::size_t most);

// Returns 12345678 as "12,345,678".
std::string grouped(std::uint64_t number);

// Lists the first `most` texts, and says how many others there are: "a, b and 1,234 more".
std::string some_of(std::span<const std::string> texts, std::size_t most,
                    std::string_view between = ", ", std::string_view before_more = " and ");

// Prepares text from a file for a report: makes it printable() and cuts it, with an ellipsis, after
// about `most` bytes. The caller escapes the result for HTML or Markdown.
std::string shown_text(std::string_view text, std::size_t most = 200);

// Returns a text as one word of a shell command, quoted if necessary.
std::string shell_word(const std::string& text);

struct CodePoint {
  std::uint32_t value = 0xfffd;
  std::size_t bytes = 1;
  bool is_valid = false;  // false: one byte, which is not UTF-8
};

// Returns the first character of `text`, which must not be empty (Unicode 15, table 3-7).
CodePoint first_code_point(std::string_view text);

}  // namespace virnucpro

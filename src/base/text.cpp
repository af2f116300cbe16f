#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

namespace virnucpro {
namespace {

constexpr std::size_t kLongestWord = 64;

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Invisible characters from Unicode 15's categories Cc, Cf, Zl and Zp: C1 controls, the soft
// hyphen, direction marks and overrides, zero-width characters, line separators, annotations and
// tags. Also U+FFFE and U+FFFF, which XML forbids. Cf's visible marks are left out: some scripts
// need them.
constexpr std::array kUnseen{
    CodeRange{0x80, 0x9f},       CodeRange{0xad, 0xad},       CodeRange{0x61c, 0x61c},
    CodeRange{0x180e, 0x180e},   CodeRange{0x200b, 0x200f},   CodeRange{0x2028, 0x202e},
    CodeRange{0x2060, 0x206f},   CodeRange{0xfeff, 0xfeff},   CodeRange{0xfff9, 0xfffb},
    CodeRange{0xfffe, 0xffff},   CodeRange{0x13430, 0x1343f}, CodeRange{0x1bca0, 0x1bca3},
    CodeRange{0x1d173, 0x1d17a}, CodeRange{0xe0000, 0xe007f}};

bool is_unseen(std::uint32_t code) {
  return std::any_of(kUnseen.begin(), kUnseen.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

void append_printable(std::string& out, const CodePoint& letter, std::string_view bytes) {
  if (!letter.is_valid || letter.value < 0x20 || letter.value == 0x7f) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  } else if (letter.value >= 0x80 && is_unseen(letter.value)) {
    out += letter.value > 0xffff ? fmt::format("\\U{:08x}", letter.value)
                                 : fmt::format("\\u{:04x}", letter.value);
  } else {
    out += bytes;
  }
}

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool equal_words(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Returns the optimal string alignment distance, in which a swap of neighbours is one step.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x80U && std::isalnum(code) != 0) ||
           std::string_view("-_./:=,+@%").find(letter) != std::string_view::npos;
  });
}

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_whole<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return *value + 0.0;  // turns -0 into 0
}

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 4> kTrue{"true", "yes", "on", "1"};
  constexpr std::array<std::string_view, 4> kFalse{"false", "no", "off", "0"};
  const auto is_text = [text](std::string_view word) { return equal_words(text, word); };
  if (std::any_of(kTrue.begin(), kTrue.end(), is_text)) return true;
  if (std::any_of(kFalse.begin(), kFalse.end(), is_text)) return false;
  return std::nullopt;
}

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view close = nearest(word, candidates);
  return close.empty() ? std::string{} : fmt::format("; did you mean {}?", close);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint letter = first_code_point(text);
    append_printable(result, letter, text.substr(0, letter.bytes));
    text.remove_prefix(letter.bytes);
  }
  return result;
}

bool is_printable(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char letter) { return letter >= ' ' && letter <= '~'; });
  return is_plain || printable(text) == text;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += printable(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

std::size_t count_letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_letter));
}

std::string_view first_letters(std::string_view text, std::size_t most) {
  std::size_t letters = 0;
  const auto* const end = std::find_if(
      text.begin(), text.end(), [&](char byte) { return begins_letter(byte) && ++letters > most; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string some_of(std::span<const std::string> texts, std::size_t most, std::string_view between,
                    std::string_view before_more) {
  const std::size_t told = std::min(texts.size(), most);
  std::string text = fmt::format("{}", fmt::join(texts.first(told), between));
  if (texts.size() > told) {
    text += fmt::format("{}{} more", before_more, grouped(texts.size() - told));
  }
  return text;
}

std::string shown_text(std::string_view text, std::size_t most) {
  constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
  std::string result;
  while (!text.empty() && result.size() < most) {
    const std::size_t bytes = first_code_point(text).bytes;
    result += printable(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  if (!text.empty()) result += kEllipsis;
  return result;
}

std::string shell_word(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  quoted += '\'';
  return quoted;
}

CodePoint first_code_point(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return {.value = lead, .bytes = 1, .is_valid = true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, i);
    if ((next & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3fU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return {};
  return {.value = value, .bytes = bytes, .is_valid = true};
}

}  // namespace virnucpro

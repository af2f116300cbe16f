#include "run/score_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace virnucpro {
namespace {

// "digits" × 10^(exponent - number of digits + 1): 1234, 2 → 123.4.
std::string lay_out_plain(const std::string& digits, int exponent) {
  if (exponent < 0) return fmt::format("0.{:0<{}}{}", "", -exponent - 1, digits);
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return fmt::format("{:0<{}}.0", digits, whole);
  return fmt::format("{}.{}", digits.substr(0, whole), digits.substr(whole));
}

std::string lay_out_scientific(const std::string& digits, int exponent) {
  const char* point = digits.size() > 1 ? "." : "";
  return fmt::format("{}{}{}e{}{:02}", digits[0], point, digits.substr(1), exponent < 0 ? '-' : '+',
                     std::abs(exponent));
}

}  // namespace

std::string score_text(float score) {
  if (std::isnan(score)) return "nan";
  if (std::isinf(score)) return score < 0 ? "-inf" : "inf";
  const char* sign = std::signbit(score) ? "-" : "";
  const float magnitude = std::abs(score);
  if (magnitude == 0) return fmt::format("{}0.0", sign);

  // The longest is "1.17549435e-38".
  char buffer[32];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), magnitude, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  const std::size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 1) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const char* first = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);

  const double value = magnitude;  // float32(0.0001) lies below 1e-4
  const bool scientific = value < 1e-4 || value >= 1e16;
  return fmt::format(
      "{}{}", sign,
      scientific ? lay_out_scientific(digits, exponent) : lay_out_plain(digits, exponent));
}

}  // namespace virnucpro

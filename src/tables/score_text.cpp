#include "tables/score_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace virnucpro {
namespace {

// This code formats scores instead of fmt, which took half of the time to write a run's tables.

// Returns the number with these digits and this exponent of 10: "1234" and 2 give "123.4".
std::string lay_out_plain(std::string digits, int exponent) {
  if (exponent < 0) {
    return digits.insert(0, static_cast<std::size_t>(-exponent - 1), '0').insert(0, "0.");
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() > whole) return digits.insert(whole, 1, '.');
  return digits.append(whole - digits.size(), '0').append(".0");
}

std::string lay_out_scientific(std::string digits, int exponent) {
  if (digits.size() > 1) digits.insert(1, 1, '.');
  const int magnitude = std::abs(exponent);
  digits.append(exponent < 0 ? "e-" : "e+").append(magnitude < 10 ? "0" : "");
  return digits.append(std::to_string(magnitude));
}

}  // namespace

std::string score_text(float score) {
  if (std::isnan(score)) return "nan";
  if (std::isinf(score)) return score < 0 ? "-inf" : "inf";
  if (std::signbit(score)) return score_text(-score).insert(0, 1, '-');
  if (score == 0) return "0.0";

  // The longest text is "1.17549435e-38".
  char buffer[32];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), score, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  const std::size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 1) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const char* first = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);

  const double value = score;  // compare as double: float32(0.0001) is below 1e-4
  const bool scientific = value < 1e-4 || value >= 1e16;
  return scientific ? lay_out_scientific(std::move(digits), exponent)
                    : lay_out_plain(std::move(digits), exponent);
}

double printed_score(float score) {
  if (!std::isfinite(score)) return score;
  char buffer[32];
  const auto text =
      std::to_chars(std::begin(buffer), std::end(buffer), score, std::chars_format::scientific);
  double value = 0;
  std::from_chars(std::begin(buffer), text.ptr, value);
  return value;
}

}  // namespace virnucpro

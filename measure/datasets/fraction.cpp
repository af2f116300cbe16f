#include "measure/datasets/fraction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxDecimals = 6;

}  // namespace

double as_double(Fraction fraction) {
  return static_cast<double>(fraction.numerator) / static_cast<double>(fraction.denominator);
}

std::optional<Fraction> parse_decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  std::string digits(text.substr(0, point));
  if (digits.size() > 1 || decimals.size() > kMaxDecimals) return std::nullopt;
  digits += decimals;
  if (digits.empty()) return std::nullopt;
  Fraction fraction;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    fraction.numerator = fraction.numerator * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  for (std::size_t i = 0; i < decimals.size(); ++i) fraction.denominator *= 10;
  return fraction;
}

std::string decimal_text(Fraction fraction) {
  std::string text = fmt::format("{:.{}f}", as_double(fraction), kMaxDecimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Fraction parse_share(std::string_view text, std::string_view option) {
  const std::optional<Fraction> share = parse_decimal(text);
  if (share && is_share(*share)) return *share;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected a number from 0 to 1 with at most six decimals, found {}",
                          option, text));
}

bool is_share(Fraction fraction) {
  return fraction.denominator != 0 && fraction.denominator <= kMaxDenominator &&
         fraction.numerator <= fraction.denominator;
}

}  // namespace virnucpro

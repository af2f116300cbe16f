#include "tables/rounded_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string double_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string numpy_rounded_text(double value) {
  return double_text(std::rint(value * 1000) / 1000);
}

std::string python_rounded_text(double value) {
  return double_text(parse_number(fmt::format("{:.3f}", value)).value_or(value));
}

}  // namespace virnucpro

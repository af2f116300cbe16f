#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sequence/random_letters.hpp"

namespace virnucpro {

double as_double(Fraction fraction);

// Parses "0.5", "3" or ".25": at most one digit before the point and six after it.
std::optional<Fraction> parse_decimal(std::string_view text);
// Returns the text that parse_decimal() reads, without zeros at its end.
std::string decimal_text(Fraction fraction);

// Parses a share from 0 to 1. Errors: kUsage, naming `option`.
Fraction parse_share(std::string_view text, std::string_view option);
bool is_share(Fraction fraction);

}  // namespace virnucpro

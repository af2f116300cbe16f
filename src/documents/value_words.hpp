#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace virnucpro {

// The suggestions of completion for a value.
struct ValueWords {
  bool files = false;
  bool directories = false;
  bool is_list = false;  // words separated by commas
  std::vector<std::string> words;
};

// Reads `value` in help's notation: words, "auto|cpu"; a name in capitals for values without a list
// (FILE, DIR, N, …); "[,...]" at the end for a list. Errors: kInternal for an unknown name in
// capitals, so that a new one gets described.
ValueWords value_words(std::string_view value);
// Returns the suggestions for a row: those of its value, and its own words.
ValueWords value_words(const OptionRow& row);

}  // namespace virnucpro

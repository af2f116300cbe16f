#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace virnucpro {

// The values that completion suggests.
struct ValueWords {
  bool files = false;
  bool directories = false;
  bool is_list = false;  // words separated by commas
  std::vector<std::string> words;
};

// Parses the help's notation of a value: words ("auto|cpu"), names in capitals for other values
// (FILE, DIR, N, …), and "[,...]" at the end for a list. Errors: kInternal for an unknown name in
// capitals, so that new names are added to this function.
ValueWords value_words(std::string_view value);
// Returns the suggestions for a row: those of its value, and its own words.
ValueWords value_words(const OptionRow& row);

}  // namespace virnucpro

#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace virnucpro

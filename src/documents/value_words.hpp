#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// What completion can offer for a value.
struct ValueWords {
  bool files = false;
  bool directories = false;
  bool is_list = false;  // of words, with commas between them
  std::vector<std::string> words;
};

// `value` as help shows it: words, "auto|cpu", and names for what has no list (FILE, DIR, N, …) in
// capitals; "[,...]" behind it for a list. Errors: kInternal for a name in capitals that is not
// known here, so that a new one is described.
ValueWords value_words(std::string_view value);

}  // namespace virnucpro

#pragma once

#include <string>

namespace virnucpro {

// Returns a text as one word for a shell, quoted if necessary.
std::string shell_word(const std::string& text);

}  // namespace virnucpro

#pragma once

#include <string>

namespace virnucpro {

// A text as a shell takes it for one word: quoted where necessary.
std::string shell_word(const std::string& text);

}  // namespace virnucpro

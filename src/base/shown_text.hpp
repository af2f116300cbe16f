#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace virnucpro {

// What a report repeats of a file: valid UTF-8 whatever the bytes were, control characters as \x1b,
// cut with an ellipsis beyond `most` bytes. Escaping for HTML or Markdown is the writer's.
std::string shown_text(std::string_view text, std::size_t most = 200);

}  // namespace virnucpro

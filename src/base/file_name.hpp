#pragma once

#include <string_view>

namespace virnucpro {

// Whether a text can name a file in a folder, and no place outside it: one part of a path, not
// empty, "." or "..", without control characters, of at most 255 bytes. A name that comes from a
// file's content is checked with this before it becomes part of a path.
bool is_file_name(std::string_view text);

}  // namespace virnucpro

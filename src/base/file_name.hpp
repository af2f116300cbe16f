#pragma once

#include <string_view>

namespace virnucpro {

// True if a text can name a file in a folder and no place outside it: one part of a path, not
// empty, "." or "..", without control characters, at most 255 bytes. Check every name that comes
// from a file's content before you use it in a path.
bool is_file_name(std::string_view text);

}  // namespace virnucpro

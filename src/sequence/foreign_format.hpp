#pragma once

#include <string_view>

namespace virnucpro {

// What a text that starts like this is, and the way out, where it is a format that users are likely
// to give but that is not read here: xz, zstd, bzip2, zip. Empty for all others.
// Six bytes of `start` are enough.
std::string_view foreign_format_hint(std::string_view start);

}  // namespace virnucpro

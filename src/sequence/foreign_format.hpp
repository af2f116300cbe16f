#pragma once

#include <string_view>

namespace virnucpro {

// Names the format of a text that starts like this, and what to do about it, if it is one that
// users may try but that is not supported: xz, zstd, bzip2, zip. Empty for all others. `start`
// needs six bytes.
std::string_view foreign_format_hint(std::string_view start);

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace virnucpro {

// Prepares text from a file for a report: printable(), cut with an ellipsis after `most` bytes. The
// caller escapes it for HTML or Markdown.
std::string shown_text(std::string_view text, std::size_t most = 200);

}  // namespace virnucpro

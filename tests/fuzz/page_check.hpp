#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "report/page_writers.hpp"

namespace virnucpro::fuzz {

// Checks that no text of a page becomes markup.
inline void check_html(const std::string& html) {
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos;
       at = html.find("<script", at + 1)) {
    ++scripts;
  }
  if (scripts != 1) __builtin_trap();
  // Line ends are the only control characters of a page.
  const bool plain = std::all_of(html.begin(), html.end(), [](char letter) {
    return letter == '\n' || static_cast<unsigned char>(letter) >= 0x20U;
  });
  if (!plain) __builtin_trap();
}

// Writes a page in every format.
inline void check_page(const Page& page) {
  check_html(report_html(page));
  report_json(page);
  report_markdown(page);
}

}  // namespace virnucpro::fuzz

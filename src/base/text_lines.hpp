#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace virnucpro {

inline constexpr std::size_t kLongestLine = 64U << 10U;

// Calls `visit` for each line of a file of any size, without its line end. Text after the last line
// end is skipped: the writer was killed. A line longer than `longest` bytes is passed as empty.
// Errors: kInputMissing, kInputRead.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit,
                   std::size_t longest = kLongestLine);

}  // namespace virnucpro

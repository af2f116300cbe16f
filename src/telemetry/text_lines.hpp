#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace virnucpro {

inline constexpr std::size_t kLongestLine = 64U << 10U;

// Each line of a file of any size, without its end; the part behind the last line end is left out:
// whoever wrote it was killed. A line longer than kLongestLine is given empty.
// Errors: kInputMissing, kInputRead.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit);

}  // namespace virnucpro

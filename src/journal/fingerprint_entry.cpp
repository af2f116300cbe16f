#include "journal/fingerprint_entry.hpp"

#include <fmt/format.h>

#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kLongestValue = 64U << 10U;  // bytes, enough for 16 of the longest paths
constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";

}  // namespace

std::string_view why_no_entry(std::string_view key, std::string_view value) {
  const bool is_key = !key.empty() && key.size() <= kLongestKey &&
                      key.find_first_not_of(kKeyLetters) == std::string_view::npos;
  if (!is_key) return "no run writes an entry of this name";
  if (value.size() > kLongestValue) return "its value has more than 64 KiB";
  if (value.find('\0') != std::string_view::npos) return "its value has a NUL byte";
  if (key == "stem" && !is_file_name(value)) return "its value cannot be part of a file's name";
  return {};
}

std::string input_name_key(std::size_t index) {
  return fmt::format("input_name_{:06}", index);
}

}  // namespace virnucpro

#include "journal/fingerprint_entry.hpp"

#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kLongestValue = 64U << 10U;  // several paths of the longest kind
constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";

}  // namespace

std::string_view why_no_entry(std::string_view key, std::string_view value) {
  const bool is_key = !key.empty() && key.size() <= kLongestKey &&
                      key.find_first_not_of(kKeyLetters) == std::string_view::npos;
  if (!is_key) return "it has a name that no run gives";
  if (value.size() > kLongestValue) return "its value is too long";
  if (value.find('\0') != std::string_view::npos) return "its value holds a NUL";
  if (key == "stem" && !is_file_name(value)) return "it cannot be part of a file's name";
  return {};
}

}  // namespace virnucpro

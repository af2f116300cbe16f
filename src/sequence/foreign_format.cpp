#include "sequence/foreign_format.hpp"

#include <algorithm>
#include <array>

namespace virnucpro {
namespace {

struct ForeignFormat {
  std::string_view magic;
  std::string_view hint;
};

constexpr std::string_view kXz = "xz is not read: xz -dc FILE | virnucpro predict -";
constexpr std::string_view kZstd = "zstd is not read: zstd -dc FILE | virnucpro predict -";
constexpr std::string_view kBzip2 = "bzip2 is not read: bzip2 -dc FILE | virnucpro predict -";
constexpr std::string_view kZip = "zip is not read: unzip -p FILE | virnucpro predict -";

constexpr std::array<ForeignFormat, 5> kFormats{{
    {{"\xfd"
      "7zXZ\0",
      6},
     kXz},
    {"\x28\xb5\x2f\xfd", kZstd},
    {"BZh", kBzip2},
    {"PK\3\4", kZip},
    {"PK\5\6", kZip},  // an empty archive
}};

}  // namespace

std::string_view foreign_format_hint(std::string_view start) {
  const auto* const found = std::find_if(
      kFormats.begin(), kFormats.end(),
      [start](const ForeignFormat& format) { return start.starts_with(format.magic); });
  return found == kFormats.end() ? std::string_view() : found->hint;
}

}  // namespace virnucpro

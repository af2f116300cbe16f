#include "sequence/foreign_format.hpp"

#include <algorithm>
#include <array>

namespace virnucpro {
namespace {

struct ForeignFormat {
  std::string_view magic;
  std::string_view hint;
};

constexpr std::string_view kBam =
    "BAM is not read by this version: samtools fastq FILE | virnucpro predict -";
constexpr std::string_view kCram =
    "CRAM is not read by this version: samtools fastq FILE | virnucpro predict -";
constexpr std::string_view kSam =
    "SAM is not read by this version: samtools fastq FILE | virnucpro predict -";
constexpr std::string_view kXz = "xz is not read: xz -dc FILE | virnucpro predict -";
constexpr std::string_view kZstd = "zstd is not read: zstd -dc FILE | virnucpro predict -";
constexpr std::string_view kBzip2 = "bzip2 is not read: bzip2 -dc FILE | virnucpro predict -";
constexpr std::string_view kZip = "zip is not read: unzip -p FILE | virnucpro predict -";

constexpr std::array<ForeignFormat, 12> kFormats{{
    {"BAM\1", kBam},
    {"CRAM", kCram},
    {"@HD\t", kSam},
    {"@SQ\t", kSam},
    {"@RG\t", kSam},
    {"@PG\t", kSam},
    {"@CO\t", kSam},
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

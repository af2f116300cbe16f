#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// A named size of a synthetic data set, in sequences.
struct DataSize {
  std::string_view name;
  std::uint64_t sequences = 0;
};

inline constexpr std::string_view kProductionSize = "production";

// From "tiny", 10, to "production", 6 million.
std::span<const DataSize> data_sizes();
// Errors: kUsage, naming `option` and the valid sizes.
DataSize parse_data_size(std::string_view name, std::string_view option);

}  // namespace virnucpro

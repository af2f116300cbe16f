#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace virnucpro {

// How many sequences a synthetic data set of a given name has.
struct DataSize {
  std::string_view name;
  std::uint64_t sequences = 0;
};

inline constexpr std::string_view kProductionSize = "production";

// "tiny", 10, to "production", 6 million.
std::span<const DataSize> data_sizes();
// Errors: kUsage, naming `option` and the sizes there are.
DataSize parse_data_size(std::string_view name, std::string_view option);

}  // namespace virnucpro

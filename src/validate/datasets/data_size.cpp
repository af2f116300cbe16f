#include "validate/datasets/data_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::array kSizes{DataSize{"tiny", 10}, DataSize{"small", 100}, DataSize{"medium", 1'000},
                            DataSize{"large", 10'000}, DataSize{kProductionSize, 6'000'000}};

}  // namespace

std::span<const DataSize> data_sizes() {
  return kSizes;
}

DataSize parse_data_size(std::string_view name, std::string_view option) {
  const auto* const found = std::ranges::find(kSizes, name, &DataSize::name);
  if (found != kSizes.end()) return *found;
  std::vector<std::string_view> names;
  for (const DataSize& size : kSizes) names.push_back(size.name);
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected {}{}", option, name,
                                             fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace virnucpro

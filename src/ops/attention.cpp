#include "ops/attention.hpp"

#include <bit>
#include <cmath>

namespace virnucpro {

std::vector<float> rotary_frequencies(std::size_t head_width) {
  std::vector<float> values(head_width / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(head_width);
    values[i] = static_cast<float>(1.0 / std::pow(10000.0, exponent));
  }
  return values;
}

RotaryTable::RotaryTable(std::span<const float> inv_freq, std::size_t positions)
    : half_(inv_freq.size()), cosines_(positions * half_), sines_(positions * half_) {
  for (std::size_t position = 0; position < positions; ++position) {
    for (std::size_t i = 0; i < half_; ++i) {
      // Multiplies in fp32, because the model was trained with angles that were rounded to fp32.
      const float angle = static_cast<float>(position) * inv_freq[i];
      cosines_[position * half_ + i] = static_cast<float>(std::cos(static_cast<double>(angle)));
      sines_[position * half_ + i] = static_cast<float>(std::sin(static_cast<double>(angle)));
    }
  }
}

std::vector<float> alibi_slopes(std::size_t heads) {
  const auto slope = [](std::size_t k, std::size_t n) {
    return static_cast<float>(std::exp2(-8.0 * static_cast<double>(k) / static_cast<double>(n)));
  };
  const std::size_t power = std::bit_floor(heads);
  std::vector<float> slopes;
  for (std::size_t k = 1; k <= power; ++k) slopes.push_back(slope(k, power));
  for (std::size_t k = 1; slopes.size() < heads; k += 2) slopes.push_back(slope(k, 2 * power));
  return slopes;
}

}  // namespace virnucpro

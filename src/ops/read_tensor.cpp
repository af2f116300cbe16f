#include "ops/read_tensor.hpp"

namespace virnucpro {

HostArray<float> read_tensor(const Weights& weights, const std::string& name, const Shape& shape) {
  std::size_t count = 1;
  for (const std::uint64_t size : shape) count = checked_elements(Purpose::kWeights, count, size);
  HostArray<float> values(Purpose::kWeights, count);
  weights.read(name, shape, values.span());
  return values;
}

}  // namespace virnucpro

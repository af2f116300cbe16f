#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// Weights of any shape. A value depends only on the tensor's name and the value's index. Values are
// uniform in ±bound, which keeps activations near one. Norms are near one, variances positive.
class RandomWeights : public Weights {
 public:
  RandomWeights() { origin_ = "random"; }

  bool has(const std::string& name) const override { return missing.count(name) == 0; }
  Shape shape(const std::string& name) const override {
    const auto known = shapes.find(name);
    return known == shapes.end() ? Shape{} : known->second;
  }
  void read(const std::string& name, const Shape& expected, std::span<float> out) const override {
    if (!has(name)) throw Error(ErrorKind::kWeightsTensor, {.tensor = name}, "missing");
    const double inputs = expected.size() == 2 ? static_cast<double>(expected[1]) : 100.0;
    const bool around_one = name.find("orm") != std::string::npos && name.ends_with(".weight");
    const bool positive = name.ends_with("running_var") || name.ends_with("inv_freq");
    const bool lookup = name.find("embed") != std::string::npos && expected.size() == 2;
    const double bound = lookup ? 1.0 : std::sqrt(3.0 / inputs);
    std::uint64_t state = fnv1a(name);
    for (float& value : out) {
      state += kSplitMixStep;
      const double uniform = static_cast<double>(splitmix64(state) >> 40U) / 8388608.0 - 1.0;
      const double scaled = positive ? std::abs(uniform) + 0.1 : uniform * bound;
      value = static_cast<float>(scaled + (around_one ? 1.0 : 0.0));
    }
  }
  std::string hash() const override { return {}; }

  std::map<std::string, Shape> shapes;
  std::set<std::string> missing;
};

// A fixture with the objects that operations need.
struct Computing : testing::Test {
  ThreadPool pool{3};
  Cancel cancel;
  OpContext context{pool, cancel};
};

inline Panels normal_panels(std::size_t rows, std::size_t width, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Panels panels(rows, width);
  for (float& value : panels.values()) value = normal(random);
  return panels;
}

inline double exact_gelu(double x) {
  return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
}

}  // namespace virnucpro

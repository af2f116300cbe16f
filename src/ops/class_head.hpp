#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ops/linear.hpp"

namespace virnucpro {

// The last layer of a classifier: softmax(x·Wᵀ + b), all in fp32.
class ClassHead {
 public:
  // Reads `name`.weight, [classes, inputs], and `name`.bias, [classes].
  ClassHead(OpContext& context, const Weights& weights, const std::string& name, std::size_t inputs,
            std::size_t classes);

  // `in` is [rows, inputs]; `out` is [rows, classes], row-major.
  void run(OpContext& context, const Panels& in, std::span<float> out) const;

 private:
  Linear linear_;
};

}  // namespace virnucpro

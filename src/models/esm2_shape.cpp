#include <fmt/format.h>

#include "base/error.hpp"
#include "models/esm2.hpp"

namespace virnucpro {

void check_esm2_shape(const Esm2Weights& weights) {
  const Esm2Shape& shape = weights.shape;
  if (shape.width == 0 || shape.heads == 0 || shape.ffn == 0 || shape.layers == 0 ||
      shape.width % shape.heads != 0 || shape.width / shape.heads % 2 != 0) {
    throw Error(ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
                fmt::format("it has {} layers, width {}, {} heads, feed-forward width {}: every "
                            "size must be positive, and width / heads must be an even number",
                            shape.layers, shape.width, shape.heads, shape.ffn));
  }
}

}  // namespace virnucpro

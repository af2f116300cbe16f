#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weights/rotation.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// ESM-2's weights in another form: the model's results are the same, but its activations can be
// rounded to 8 bits. The residual stream x becomes Q·(x − mean of x) with a Rotation Q, and a norm
// becomes r = x / √(mean of x² + eps), without mean and weights. Therefore:
//   - A linear that reads the stream computes W·norm(x) + b. With the norm's gain g and bias β, W
//     becomes W·diag(g)·Qᵀ, and b becomes b + W·β.
//   - In a linear that writes to the stream, and in each row of embed_tokens.weight, the outputs'
//     mean is subtracted, then Q rotates the outputs.
//   - v_proj's outputs and out_proj's inputs are rotated in each head.
// All new weights are computed in double and stored in fp32.
//
// Names and shapes are those of Esm2Weights, without the norms. Instead of the last norm there are
// head.weight [w, w] and head.bias [w]: the embedding of a sequence is head.weight · (mean of its
// tokens' r) + head.bias. Hash, origin and checks of values are those of the plain weights.
class FoldedEsm2 : public Weights {
 public:
  // `plain` must have `shape` and outlive this object.
  FoldedEsm2(const Weights& plain, const Esm2Shape& shape);

  bool has(const std::string& name) const override;
  Shape shape(const std::string& name) const override;
  // Reading a bias also reads the weight of its linear if the bias depends on the weight.
  void read(const std::string& name, const Shape& expected, std::span<float> out) const override;
  std::string hash() const override { return plain_.hash(); }

 private:
  struct Part;  // the weight or the bias of a linear
  static std::optional<Part> part_of(const std::string& name);
  std::vector<float> read_norm(const std::string& name) const;
  void read_weight(const Part& part, std::span<float> out) const;
  void read_bias(const Part& part, std::span<float> out) const;
  // Returns W·β for the part's linear, which must read the stream.
  std::vector<double> shift_of(const Part& part) const;

  const Weights& plain_;
  Esm2Shape shape_;
  Rotation stream_;
  Rotation heads_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::vector<double>> shifts_;  // by "layers.N.LINEAR"
};

}  // namespace virnucpro

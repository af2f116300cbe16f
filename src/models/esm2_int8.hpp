#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "models/esm2.hpp"
#include "ops/backend_int8_cpu.hpp"
#include "ops/int8_policy.hpp"

namespace virnucpro {

// ESM-2 in 8 bits on the CPU. It serves tests of the accuracy of 8 bits; fp32 is faster on a CPU.
// Uses folded weights (weights/folded_esm2.hpp). Corrects the biases with calibration_frames().
class Esm2Int8 {
 public:
  // Reads all of `weights`.
  Esm2Int8(const Esm2Weights& weights, OpContext& context, const Int8Policy& policy = {})
      : Esm2Int8(weights, context, policy, false) {}
  // Makes a model that allows set_policy(): every linear stores its weights in 8 bits and in fp32.
  // Until the first call of set_policy() all linears compute in 8 bits.
  static Esm2Int8 of_any_policy(const Esm2Weights& weights, OpContext& context) {
    return {weights, context, {}, true};
  }

  void set_policy(const Int8Policy& policy) { policy_ = policy; }

  std::uint32_t width() const { return model_->width(); }
  // Computes the same embeddings as Esm2Model::embed(), in 8 bits.
  void embed(OpContext& context, const TokenBatch<std::uint8_t>& batch, std::span<float> out) const;

 private:
  Esm2Int8(const Esm2Weights& weights, OpContext& context, const Int8Policy& policy,
           bool any_policy);

  Int8Policy policy_;
  std::unique_ptr<const Esm2Model<Int8CpuBackend>> model_;
};

}  // namespace virnucpro

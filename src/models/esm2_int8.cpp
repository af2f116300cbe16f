#include "models/esm2_int8.hpp"

#include <vector>

#include "models/calibration_proteins.hpp"
#include "models/esm2_graph.hpp"
#include "weights/folded_esm2.hpp"

namespace virnucpro {

template class Esm2Model<Int8CpuBackend>;

Esm2Int8::Esm2Int8(const Esm2Weights& weights, OpContext& context, const Int8Policy& policy,
                   bool any_policy)
    : policy_(policy) {
  Int8CpuContext own{context, policy, any_policy};
  check_esm2_shape(weights);
  model_ = std::make_unique<const Esm2Model<Int8CpuBackend>>(
      Esm2Weights{weights.shape, std::make_unique<FoldedEsm2>(*weights.tensors, weights.shape)},
      own);
  own.calibrating = true;
  const PackedFrames frames = calibration_frames();
  std::vector<float> unused((frames.esm_offsets.size() - 1) * width());
  model_->embed(own, {frames.esm_tokens, frames.esm_offsets}, unused);
}

void Esm2Int8::embed(OpContext& context, const TokenBatch<std::uint8_t>& batch,
                     std::span<float> out) const {
  Int8CpuContext own{context, policy_};
  model_->embed(own, batch, out);
}

}  // namespace virnucpro

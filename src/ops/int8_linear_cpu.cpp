#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "ops/int8_linear.hpp"
#include "ops/read_tensor.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

// A task computes 64 outputs of a panel's rows.
constexpr std::size_t kTaskOutputs = 64;
static_assert(kProductRows == kPanelRows && kTaskOutputs % kProductOutputs == 0);

// Turns the sums of a row into outputs. The arrays have one value per output of a product.
struct Finish {
  Epilogue epilogue;
  std::array<float, kProductOutputs> scales{};
  std::array<float, kProductOutputs> bias{};

  // Rounds like a GPU's epilogue: one fused multiply-add applies the output's scale and the bias.
  void store(const std::int32_t* sums, float row_scale, float* out, std::size_t count) const {
    std::array<float, kProductOutputs> values;
    for (std::size_t i = 0; i < kProductOutputs; i += kLanes) {
      const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + i));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(row_scale));
      const __m256 value = _mm256_fmadd_ps(scaled, _mm256_loadu_ps(scales.data() + i),
                                           _mm256_loadu_ps(bias.data() + i));
      _mm256_storeu_ps(values.data() + i,
                       epilogue == Epilogue::kBiasGelu ? gelu_lanes(value) : value);
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = epilogue == Epilogue::kBiasAdd ? out[i] + values[i] : values[i];
    }
  }
};

std::size_t checked_outputs(std::span<const LinearPart> parts, std::size_t inputs,
                            Epilogue epilogue) {
  if (epilogue != Epilogue::kBias && epilogue != Epilogue::kBiasGelu &&
      epilogue != Epilogue::kBiasAdd) {
    throw Error(ErrorKind::kInternal,
                "8-bit linears support only the epilogues kBias, kBiasGelu and kBiasAdd");
  }
  if (inputs > kMostInt8Inputs) {
    throw Error(
        ErrorKind::kInternal,
        fmt::format("the layer has {} inputs; int8 supports at most {}", inputs, kMostInt8Inputs));
  }
  return outputs_of(parts);
}

}  // namespace

Int8Linear::Int8Linear(OpContext& context, const Weights& weights,
                       std::span<const LinearPart> parts, std::size_t inputs, Epilogue epilogue,
                       Blocks blocks)
    : epilogue_(epilogue),
      blocks_(blocks),
      weight_(checked_outputs(parts, inputs, epilogue), inputs),
      scales_(Purpose::kWeights, weight_.outputs()),
      rest_(Purpose::kWeights, weight_.outputs() * inputs),
      bias_(Purpose::kWeights, weight_.outputs()) {
  std::size_t first = 0;
  for (const LinearPart& part : parts) {
    const HostArray<float> values = read_tensor(weights, part.weight, {part.outputs, inputs});
    context.pool.parallel_for(part.outputs, [&](std::size_t index, std::size_t) {
      const std::span<float> row = values.span().subspan(index * inputs, inputs);
      const std::size_t output = first + index;
      if (blocks == Blocks::kRotated) rotate_blocks(row);
      std::vector<std::int8_t> codes(inputs);
      scales_.data()[output] = quantise_row(row, codes);
      quantise_rest(row, scales_.data()[output], codes,
                    rest_.span().subspan(output * inputs, inputs));
      weight_.set(output, codes);
    });
    weights.read(part.bias, {part.outputs}, bias_.span().subspan(first, part.outputs));
    first += part.outputs;
  }
}

void Int8Linear::correct_bias(const ColumnMeans& means) {
  const std::size_t inputs = weight_.inputs();
  for (std::size_t output = 0; output < outputs(); ++output) {
    const std::span<const std::int8_t> rest = rest_.span().subspan(output * inputs, inputs);
    double lost = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto exact = static_cast<double>(means.exact[i]);
      lost += weight_.at(output, i) * (exact - static_cast<double>(means.coded[i])) +
              rest[i] / 254.0 * exact;
    }
    bias_.data()[output] += static_cast<float>(lost * static_cast<double>(scales_.data()[output]));
  }
}

void Int8Linear::run(OpContext& context, const Codes& in, Panels& out) const {
  const Int8Product& product = fastest_int8_product();
  // Tasks are ordered by block of outputs, then by panel: a block's weights stay in the cache.
  const std::size_t panels = out.panels();
  const std::size_t tasks = (outputs() + kTaskOutputs - 1) / kTaskOutputs * panels;
  context.pool.parallel_for(tasks, [&](std::size_t task, std::size_t) {
    const std::size_t end = std::min((task / panels + 1) * kTaskOutputs, outputs());
    const RowRange range = panel_rows(task % panels, in.rows());
    alignas(64) std::array<std::int32_t, kProductRows * kProductOutputs> sums;
    for (std::size_t first = task / panels * kTaskOutputs; first < end; first += kProductOutputs) {
      product.run({.x = in.row(range.first).data(),
                   .stride = in.width(),
                   .rows = range.last - range.first,
                   .weights = weight_.tiles_of(first),
                   .offsets = weight_.offsets_of(first),
                   .tiles = weight_.tiles(),
                   .sums = sums.data()});
      const std::size_t count = std::min(kProductOutputs, outputs() - first);
      Finish finish{.epilogue = epilogue_};
      std::copy_n(scales_.data() + first, count, finish.scales.begin());
      std::copy_n(bias_.data() + first, count, finish.bias.begin());
      for (std::size_t row = range.first; row < range.last; ++row) {
        finish.store(sums.data() + (row - range.first) * kProductOutputs, in.scales()[row],
                     out.row(row) + first, count);
      }
    }
  });
}

}  // namespace virnucpro

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "ops/int8_linear.hpp"
#include "ops/read_tensor.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

// Registers hold the sums of 4 rows × 2 outputs at a time; a task computes 64 outputs.
constexpr std::size_t kRowsAtOnce = 4;
constexpr std::size_t kOutputsAtOnce = 2;
constexpr std::size_t kTaskOutputs = 64;
constexpr std::size_t kWordLanes = 16;  // 16-bit numbers in a vector

using RowSums = std::array<std::array<std::int32_t, kTaskOutputs>, kRowsAtOnce>;

__m256i sixteen_words(const std::int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
}

std::int32_t sum_words(__m256i v) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

// Computes sums[r][first] and sums[r][first + 1] for all rows r.
void add_products(const std::array<const std::int8_t*, kRowsAtOnce>& rows,
                  const std::array<const std::int8_t*, kOutputsAtOnce>& weights, std::size_t inputs,
                  std::size_t first, RowSums& sums) {
  __m256i wide[kRowsAtOnce][kOutputsAtOnce] = {};
  std::size_t i = 0;
  for (; i + kWordLanes <= inputs; i += kWordLanes) {
    const __m256i w[kOutputsAtOnce] = {sixteen_words(weights[0] + i),
                                       sixteen_words(weights[1] + i)};
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
      const __m256i x = sixteen_words(rows[r] + i);
      for (std::size_t o = 0; o < kOutputsAtOnce; ++o) {
        wide[r][o] = _mm256_add_epi32(wide[r][o], _mm256_madd_epi16(x, w[o]));
      }
    }
  }
  for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
    for (std::size_t o = 0; o < kOutputsAtOnce; ++o) {
      std::int32_t sum = sum_words(wide[r][o]);
      for (std::size_t rest = i; rest < inputs; ++rest) sum += rows[r][rest] * weights[o][rest];
      sums[r][first + o] = sum;
    }
  }
}

// Turns the sums of a row into outputs. The arrays have one value per output of a task.
struct Finish {
  Epilogue epilogue;
  std::array<float, kTaskOutputs> scales{};
  std::array<float, kTaskOutputs> bias{};

  // Rounds like a GPU's epilogue: one fused multiply-add applies the output's scale and the bias.
  void store(const std::array<std::int32_t, kTaskOutputs>& sums, float row_scale, float* out,
             std::size_t count) const {
    std::array<float, kTaskOutputs> values;
    for (std::size_t i = 0; i < kTaskOutputs; i += kLanes) {
      const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums.data() + i));
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
      weight_(Purpose::kWeights, checked_outputs(parts, inputs, epilogue), inputs),
      rest_(Purpose::kWeights, weight_.rows() * inputs),
      bias_(Purpose::kWeights, weight_.rows()) {
  std::size_t first = 0;
  for (const LinearPart& part : parts) {
    const HostArray<float> values = read_tensor(weights, part.weight, {part.outputs, inputs});
    context.pool.parallel_for(part.outputs, [&](std::size_t index, std::size_t) {
      const std::span<float> row = values.span().subspan(index * inputs, inputs);
      const std::size_t output = first + index;
      if (blocks == Blocks::kRotated) rotate_blocks(row);
      weight_.scales()[output] = quantise_row(row, weight_.row(output));
      quantise_rest(row, weight_.scales()[output], weight_.row(output),
                    rest_.span().subspan(output * inputs, inputs));
    });
    weights.read(part.bias, {part.outputs}, bias_.span().subspan(first, part.outputs));
    first += part.outputs;
  }
}

void Int8Linear::correct_bias(const ColumnMeans& means) {
  const std::size_t inputs = weight_.width();
  for (std::size_t output = 0; output < outputs(); ++output) {
    const std::span<const std::int8_t> codes = weight_.row(output);
    const std::span<const std::int8_t> rest = rest_.span().subspan(output * inputs, inputs);
    double lost = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto exact = static_cast<double>(means.exact[i]);
      lost += codes[i] * (exact - static_cast<double>(means.coded[i])) + rest[i] / 254.0 * exact;
    }
    bias_.data()[output] +=
        static_cast<float>(lost * static_cast<double>(weight_.scales()[output]));
  }
}

void Int8Linear::run(OpContext& context, const Codes& in, Panels& out) const {
  // Tasks are ordered by block of outputs, then by panel: a block's weights stay in the cache.
  const std::size_t panels = out.panels();
  const std::size_t tasks = (outputs() + kTaskOutputs - 1) / kTaskOutputs * panels;
  context.pool.parallel_for(tasks, [&](std::size_t task, std::size_t) {
    const std::size_t first = task / panels * kTaskOutputs;
    const std::size_t count = std::min(kTaskOutputs, outputs() - first);
    Finish finish{.epilogue = epilogue_};
    std::copy_n(weight_.scales().data() + first, count, finish.scales.begin());
    std::copy_n(bias_.data() + first, count, finish.bias.begin());
    const RowRange range = panel_rows(task % panels, in.rows());
    RowSums sums{};
    for (std::size_t row = range.first; row < range.last; row += kRowsAtOnce) {
      // If too few rows or outputs are left, repeats the last row or output, but stores it once.
      std::array<const std::int8_t*, kRowsAtOnce> rows;
      for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
        rows[r] = in.row(std::min(row + r, range.last - 1)).data();
      }
      for (std::size_t o = 0; o < count; o += kOutputsAtOnce) {
        const std::size_t second = std::min(o + 1, count - 1);
        add_products(rows, {weight_.row(first + o).data(), weight_.row(first + second).data()},
                     weight_.width(), o, sums);
      }
      for (std::size_t r = 0; r < std::min(kRowsAtOnce, range.last - row); ++r) {
        finish.store(sums[r], in.scales()[row + r], out.row(row + r) + first, count);
      }
    }
  });
}

}  // namespace virnucpro

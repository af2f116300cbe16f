#include "ops/backend_int8_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace virnucpro {
namespace {

void correct(Int8Linear& linear, const Int8CpuOperand& in) {
  const std::size_t width = in.codes.width();
  std::vector<double> exact(width);
  std::vector<double> coded(width);
  for (std::size_t i = 0; i < in.codes.rows(); ++i) {
    const auto scale = static_cast<double>(in.codes.scales()[i]);
    for (std::size_t j = 0; j < width; ++j) {
      exact[j] += static_cast<double>(in.values.row(i)[j]);
      coded[j] += in.codes.row(i)[j] * scale;
    }
  }
  const auto means_of = [&](const std::vector<double>& sums) {
    std::vector<float> means(width);
    std::transform(sums.begin(), sums.end(), means.begin(), [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(in.codes.rows()));
    });
    return means;
  };
  std::vector<float> exact_means = means_of(exact);
  if (linear.blocks() == Blocks::kRotated) rotate_blocks(exact_means);
  linear.correct_bias({.exact = exact_means, .coded = means_of(coded)});
}

}  // namespace

Int8CpuProjection::Int8CpuProjection(Int8CpuContext& context, const Weights& weights,
                                     const Esm2Place& place, std::span<const LinearPart> parts,
                                     std::size_t inputs, Epilogue epilogue)
    : place_(place) {
  const bool in_8_bits = context.policy.in_8_bits(place);
  if (in_8_bits || context.any_policy) {
    coarse_.emplace(context, weights, parts, inputs, epilogue, blocks_for(place.linear));
  }
  if (!in_8_bits || context.any_policy) {
    wide_.emplace(context, weights, parts, inputs, Precision::kFp32, epilogue);
  }
}

void Int8CpuProjection::run(Int8CpuContext& context, Int8CpuOperand& in, Panels& out) const {
  const bool in_8_bits = coarse_ && (!wide_ || context.policy.in_8_bits(place_));
  if (!in_8_bits) return wide_->run(context, in.values, out);
  quantise_rows(context, in.values, coarse_->blocks(), in.codes);
  if (context.calibrating) correct(*coarse_, in);
  coarse_->run(context, in.codes, out);
}

void RmsNorm::run(OpContext& context, const Panels& in, Panels& out) const {
  context.pool.parallel_for(in.panels(), [&](std::size_t panel, std::size_t) {
    const RowRange range = panel_rows(panel, in.rows());
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::span<const float> row{in.row(i), in.width()};
      double squares = 0;
      for (const float x : row) squares += static_cast<double>(x) * static_cast<double>(x);
      const double mean = squares / static_cast<double>(row.size());
      const auto factor = static_cast<float>(1.0 / std::sqrt(mean + static_cast<double>(eps)));
      std::transform(row.begin(), row.end(), out.row(i), [&](float x) { return x * factor; });
    }
  });
}

void HeadNorm::run(OpContext& context, Panels& in, std::span<const RowRange> ranges,
                   std::span<float> out) const {
  norm.run(context, in, in);
  Panels means(ranges.size(), in.width());
  mean_pool(context, in, ranges, means.values());
  Panels results(ranges.size(), in.width());
  head.run(context, means, results);
  std::copy(results.values().begin(), results.values().end(), out.begin());
}

HeadNorm Int8CpuBackend::last_norm(Context& context, const Weights& weights,
                                   const std::string& /*name*/, std::size_t width, float eps) {
  const LinearPart head{"head.weight", "head.bias", width};
  return {.norm = {eps},
          .head = {context, weights, {&head, 1}, width, Precision::kFp32, Epilogue::kBias}};
}

}  // namespace virnucpro

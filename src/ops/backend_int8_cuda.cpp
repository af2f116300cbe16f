#include "ops/backend_int8_cuda.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "ops/weight_buffers_cuda.hpp"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {
namespace {

constexpr std::size_t kInt8Multiple = 16;  // kernels load 16 bytes, which are 16 codes

float* floats(const DeviceBuffer& buffer) {
  return static_cast<float*>(buffer.data());
}

// Replaces kBiasAdd by kBiasAdd16, because the residual stream is fp16 in this backend.
Epilogue in_16_bits(Epilogue epilogue) {
  return epilogue == Epilogue::kBiasAdd ? Epilogue::kBiasAdd16 : epilogue;
}

// Returns `epilogue`. Throws kInternal if products of s8 numbers do not support it.
Epilogue of_8_bits(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kBias:
    case Epilogue::kBiasGelu:
    case Epilogue::kBiasAdd16:
      return epilogue;
    case Epilogue::kNone:
    case Epilogue::kBiasAdd:
    case Epilogue::kGeluGate:
      break;
  }
  throw Error(ErrorKind::kInternal,
              "8-bit linears support only the epilogues kBias, kBiasGelu and kBiasAdd16");
}

}  // namespace

EightBitLinear::EightBitLinear(Context& context, const Weights& weights,
                               std::span<const LinearPart> parts, std::size_t inputs, Blocks blocks,
                               Epilogue epilogue)
    : inputs_(inputs),
      outputs_(outputs_of(parts)),
      blocks_(blocks),
      epilogue_(of_8_bits(epilogue)),
      bias_(read_biases_later(context, weights, parts)),
      codes_(Purpose::kWeights, outputs_ * inputs),
      scales_(Purpose::kWeights, outputs_ * sizeof(float)) {
  check_sizes(weights, parts.front().weight, inputs, outputs_, kInt8Multiple);
  if (inputs > kWidestCodes) {
    throw Error(
        ErrorKind::kWeightsTensor, Place{.file = weights.origin(), .tensor = parts.front().weight},
        fmt::format("the layer has {} inputs; int8 supports at most {}: use --precision fp16",
                    inputs, kWidestCodes));
  }
  Calibration::Rest rest = context.calibration->make_rest(outputs_ * inputs);
  std::size_t first = 0;
  for (const LinearPart& part : parts) {
    const CodeMatrix codes{.codes = weight().codes + first * inputs,
                           .scales = floats(scales_) + first,
                           .rows = part.outputs,
                           .width = inputs};
    auto* const its_rest = rest.codes() + first * inputs;
    context.uploads.add(weights, part.weight, {part.outputs, inputs},
                        [codes, its_rest, blocks](const float* values, cudaStream_t stream) {
                          const DeviceMatrix plain{.data = const_cast<float*>(values),
                                                   .rows = codes.rows,
                                                   .width = codes.width};
                          quantise_rows(plain, blocks, codes, stream);
                          quantise_rest(plain, blocks, codes, its_rest, stream);
                        });
    first += part.outputs;
  }
  context.calibration->add(codes_.data(), std::move(rest), inputs);
}

CodeMatrix EightBitLinear::weight() const {
  return {.codes = static_cast<std::int8_t*>(codes_.data()),
          .scales = floats(scales_),
          .rows = outputs_,
          .width = inputs_};
}

void EightBitLinear::correct(Context& context, const Int8Operand& in) const {
  auto* const numbers = floats(context.calibration->means);
  const ColumnMeans means{.exact = numbers, .coded = numbers + inputs_};
  column_means(in.halves, blocks_, in.codes, means, context.stream);
  correct_bias(weight(), context.calibration->rests.at(codes_.data()).codes(), means, floats(bias_),
               context.stream);
}

void EightBitLinear::run(Context& context, Int8Operand& in, const DeviceMatrix& out) const {
  if (in.form == Int8Operand::Form::kHalves) {
    quantise_rows(in.halves, blocks_, in.codes, context.stream);
  }
  if (context.calibration != nullptr) correct(context, in);
  context.int8_gemm({.rows = in.codes.rows,
                     .outputs = outputs_,
                     .inputs = inputs_,
                     .x = in.codes.codes,
                     .weight = codes_.data(),
                     .bias = floats(bias_),
                     .out = out.data,
                     .row_scales = in.codes.scales,
                     .channel_scales = floats(scales_)},
                    epilogue_, context.stream);
}

Int8Linear::Int8Linear(Context& context, const Weights& weights, const Esm2Place& place,
                       std::span<const LinearPart> parts, std::size_t inputs, Epilogue epilogue)
    : place_(place) {
  const bool in_8_bits = context.int8_policy.in_8_bits(place);
  if (in_8_bits || context.any_int8_policy) {
    eight_.emplace(context, weights, parts, inputs, blocks_for(place.linear), in_16_bits(epilogue));
  }
  if (!in_8_bits || context.any_int8_policy) {
    sixteen_.emplace(context, weights, parts, inputs, Precision::kFp16, in_16_bits(epilogue));
  }
}

void Int8Linear::run(Context& context, Int8Operand& in, const DeviceMatrix& out) const {
  if (in_8_bits(context)) return eight_->run(context, in, out);
  sixteen_->run(context, in.halves, out);
}

void Int8Linear::run(Context& context, Int8Operand& in, Int8Operand& out) const {
  run(context, in, out.halves);
  out.form = Int8Operand::Form::kHalves;
}

HeadNorm::HeadNorm(Context& context, const Weights& weights, std::size_t width, float eps)
    : eps_(eps),
      weight_(read_later(context, weights, "head.weight", {width, width})),
      bias_(read_later(context, weights, "head.bias", {width})) {}

void HeadNorm::run(Context& context, const DeviceMatrix& in, const std::uint32_t* offsets,
                   const PooledRows& rows, const DeviceMatrix& scratch,
                   const DevicePooled& out) const {
  // `scratch` is fp16 [rows, 3·width], and a sequence has at least three rows. So the means, the
  // head's outputs and the rows' scales, all fp32, fit into `scratch`.
  const std::size_t sequences = out.rows.rows;
  auto* const numbers = static_cast<float*>(scratch.data);
  const DeviceMatrix means{.data = numbers, .rows = sequences, .width = in.width};
  const DeviceMatrix results{
      .data = numbers + sequences * in.width, .rows = sequences, .width = in.width};
  float* const scales = numbers + 2 * sequences * in.width;
  rms_norm_means(in, eps_, offsets, rows, scales, means, context.stream);
  gemm_generic_fp32({.rows = sequences,
                     .outputs = in.width,
                     .inputs = in.width,
                     .x = means.data,
                     .weight = weight_.data(),
                     .bias = floats(bias_),
                     .out = results.data},
                    Epilogue::kBias, context.stream);
  const std::size_t line = in.width * sizeof(float);
  check_cuda(cudaMemcpy2DAsync(static_cast<float*>(out.rows.data) + out.column,
                               out.rows.width * sizeof(float), results.data, line, line, sequences,
                               cudaMemcpyDeviceToDevice, context.stream),
             "cudaMemcpy2DAsync");
}

Int8Backend::Operand Int8Backend::operand(Context& context, std::size_t rows, std::size_t width) {
  Operand made{.halves = context.arena.matrix(rows, width, Element::kFp16),
               .codes = {.rows = rows, .width = width}};
  const DeviceMatrix codes = context.arena.matrix(rows, width, Element::kInt8);
  made.codes.codes = static_cast<std::int8_t*>(codes.data);
  const DeviceMatrix scales = context.arena.matrix(rows, 1, Element::kFp32);
  made.codes.scales = static_cast<float*>(scales.data);
  return made;
}

void Int8Backend::normalise_for(Context& context, const LayerNorm& norm, const Matrix& in,
                                const Linear& projection, Operand& out) {
  const bool coded = projection.in_8_bits(context);
  const bool plain = !coded || context.calibration != nullptr;
  rms_norm(in, norm.eps, plain ? out.halves : DeviceMatrix{}, coded ? out.codes : CodeMatrix{},
           context.stream);
  out.form = coded ? Operand::Form::kCodes : Operand::Form::kHalves;
}

}  // namespace virnucpro::cuda

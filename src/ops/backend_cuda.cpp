#include "ops/backend_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "ops/attention.hpp"
#include "ops/read_tensor.hpp"
#include "ops/weight_buffers_cuda.hpp"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {
namespace {

constexpr std::size_t kMultiple = 8;  // kernels load 16 bytes, which are 8 numbers of 16 bits

// Converts a tensor on the device and stores it in `to`, which is pinned memory of the host.
Uploads::Store stored_on_host(const DeviceMatrix& to) {
  return [to](const float* values, cudaStream_t stream) {
    const std::size_t bytes = to.rows * to.width * size_of(to.element);
    const DeviceBuffer converted(Purpose::kStaging, bytes);
    convert(values,
            {.data = converted.data(), .rows = to.rows, .width = to.width, .element = to.element},
            stream);
    check_cuda(cudaMemcpyAsync(to.data, converted.data(), bytes, cudaMemcpyDeviceToHost, stream),
               "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
}

void fill(RotaryAngles& angles, std::size_t positions) {
  const RotaryTable table(angles.inv_freq, positions);
  const std::size_t numbers = positions * table.half();
  angles.cosines = copy_of({table.cosines(0), numbers});
  angles.sines = copy_of({table.sines(0), numbers});
  angles.positions = positions;
}

}  // namespace

Element element_of(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return Element::kFp32;
    case Precision::kFp16:
    case Precision::kInt8:
      return Element::kFp16;
    case Precision::kBf16:
      return Element::kBf16;
  }
  throw Error(ErrorKind::kInternal, "unknown precision");
}

void cover_positions(Context& context, std::size_t positions) {
  for (const auto& angles : context.angles) {
    if (angles->positions < positions) fill(*angles, positions);
  }
}

Linear::Linear(Context& context, const Weights& weights, std::span<const LinearPart> parts,
               std::size_t inputs, Precision precision, Epilogue epilogue)
    : inputs_(inputs),
      outputs_(outputs_of(parts)),
      precision_(precision),
      epilogue_(epilogue),
      bias_(epilogue == Epilogue::kNone ? zeros(outputs_)
                                        : read_biases_later(context, weights, parts)) {
  check_sizes(weights, parts.front().weight, inputs, outputs_, kMultiple);
  const Element element = element_of(precision);
  const std::size_t bytes = outputs_ * inputs * size_of(element);
  if (context.streamed != nullptr) {
    streamed_ = context.streamed->add(bytes);
  } else {
    weight_ = DeviceBuffer(Purpose::kWeights, bytes);
  }
  auto* rows =
      static_cast<std::byte*>(streamed_ ? context.streamed->host(*streamed_) : weight_.data());
  for (const LinearPart& part : parts) {
    const DeviceMatrix to{.data = rows, .rows = part.outputs, .width = inputs, .element = element};
    const Shape shape{part.outputs, inputs};
    if (streamed_) {
      context.uploads.add(weights, part.weight, shape, stored_on_host(to));
    } else {
      context.uploads.add(weights, part.weight, shape, to);
    }
    rows += part.outputs * inputs * size_of(element);
  }
}

void Linear::run(Context& context, const DeviceMatrix& in, const DeviceMatrix& out) const {
  const Gemm gemm = precision_ == Precision::kFp32 ? gemm_generic_fp32 : context.gemm;
  gemm({.rows = in.rows,
        .outputs = outputs_,
        .inputs = inputs_,
        .x = in.data,
        .weight = streamed_ ? context.streamed->get(*streamed_, context.stream) : weight_.data(),
        .bias = static_cast<const float*>(bias_.data()),
        .out = out.data},
       epilogue_, context.stream);
  if (streamed_) context.streamed->used(context.stream);
}

GatedLinear::GatedLinear(Context& context, const Weights& weights, const LinearPart& part,
                         std::size_t inputs, Precision precision)
    : inputs_(inputs), outputs_(part.outputs / 2), no_bias_(zeros(outputs_)) {
  check_sizes(weights, part.weight, inputs, outputs_, kMultiple);
  const Element element = element_of(precision);
  weight_ = DeviceBuffer(Purpose::kWeights, part.outputs * inputs * size_of(element));
  context.uploads.add(
      weights, part.weight, {part.outputs, inputs},
      {.data = weight_.data(), .rows = part.outputs, .width = inputs, .element = element});
}

void GatedLinear::run(Context& context, const DeviceMatrix& in, const DeviceMatrix& /*scratch*/,
                      const DeviceMatrix& out) const {
  GemmCall call{.rows = in.rows,
                .outputs = outputs_,
                .inputs = inputs_,
                .x = in.data,
                .weight = static_cast<const std::byte*>(weight_.data()) + weight_.bytes() / 2,
                .bias = static_cast<const float*>(no_bias_.data()),
                .out = out.data};
  context.gemm(call, Epilogue::kNone, context.stream);
  call.weight = weight_.data();
  context.gemm(call, Epilogue::kGeluGate, context.stream);
}

LayerNorm::LayerNorm(Context& context, const Weights& weights, const std::string& name,
                     std::size_t width, float eps)
    : eps_(eps),
      weight_(read_later(context, weights, name + ".weight", {width})),
      bias_(read_later(context, weights, name + ".bias", {width})) {
  if (width > kWidestNorm) {
    throw Error(
        ErrorKind::kWeightsTensor, Place{.file = weights.origin(), .tensor = name + ".weight"},
        fmt::format("the layer norm has {} numbers; a GPU supports at most {}: use --device cpu",
                    width, kWidestNorm));
  }
}

void LayerNorm::run(Context& context, const DeviceMatrix& in, const DeviceMatrix& out,
                    const DeviceMatrix& also) const {
  layer_norm({.weight = static_cast<const float*>(weight_.data()),
              .bias = static_cast<const float*>(bias_.data()),
              .eps = eps_},
             in, out, also, context.stream);
}

BatchNormRelu::BatchNormRelu(const virnucpro::BatchNormRelu& norm)
    : mean_(copy_of(norm.mean())), scale_(copy_of(norm.scale())), bias_(copy_of(norm.bias())) {}

void BatchNormRelu::run(Context& context, const DeviceMatrix& values) const {
  batch_norm_relu({.mean = static_cast<const float*>(mean_.data()),
                   .scale = static_cast<const float*>(scale_.data()),
                   .bias = static_cast<const float*>(bias_.data())},
                  values, context.stream);
}

ClassHead::ClassHead(Context& /*context*/, const Weights& weights, const std::string& name,
                     std::size_t inputs, std::size_t classes)
    : weight_(copy_of(read_tensor(weights, name + ".weight", {classes, inputs}).span())),
      bias_(copy_of(read_tensor(weights, name + ".bias", {classes}).span())) {}

void ClassHead::run(Context& context, const DeviceMatrix& in, std::span<float> device_out) const {
  two_classes(static_cast<const float*>(weight_.data()), static_cast<const float*>(bias_.data()),
              in, device_out.data(), context.stream);
}

Embedding::Embedding(Context& /*context*/, const Weights& weights, const std::string& name,
                     std::size_t rows, std::size_t width, float scale,
                     std::span<const float> added) {
  HostArray<float> table = read_tensor(weights, name, {rows, width});
  const std::span<float> values = table.span();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] * scale + (added.empty() ? 0.0F : added[i % width]);
  }
  table_ = copy_of(values);
}

void Backend::check_head_width(const Weights& weights, std::size_t width) {
  if (width % kMultiple == 0 && width <= kWidestHead) return;
  throw Error(ErrorKind::kWeightsFormat, {.file = weights.origin()},
              fmt::format("the attention heads have width {}; on a GPU the width must be a "
                          "multiple of {}, at most {}: use --device cpu",
                          width, kMultiple, kWidestHead));
}

Backend::Rotary Backend::rotary(Context& context, const std::vector<float>& inv_freq) {
  const auto same = std::find_if(context.angles.begin(), context.angles.end(),
                                 [&](const auto& angles) { return angles->inv_freq == inv_freq; });
  if (same != context.angles.end()) return same->get();
  context.angles.push_back(std::make_unique<RotaryAngles>());
  context.angles.back()->inv_freq = inv_freq;
  fill(*context.angles.back(), kPositions);
  return context.angles.back().get();
}

Backend::Slopes Backend::slopes(Context& /*context*/, const std::vector<float>& slopes) {
  return copy_of(slopes);
}

}  // namespace virnucpro::cuda

// bench_gpu_ops [SECONDS]
//
// The ops of an ESM-2 3B layer on a GPU, at 32,768 tokens in sequences of 168, one after the other,
// each for SECONDS (default 2) after it has settled: a short burst runs at a clock that the power
// limit does not allow for long. A line of JSON an op: milliseconds (median), what it reaches, and
// of what.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "ops/attention.hpp"
#include "ops/attention_cuda.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/row_ops_cuda.hpp"
#include "serve.hpp"
#include "tensor/cuda_error.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTokens = 32760;
constexpr std::size_t kLength = 168;
constexpr std::size_t kWidth = 2560;
constexpr std::size_t kHeads = 40;
constexpr std::size_t kFfn = 10240;
constexpr double kSettling = 1;  // seconds

// Numbers around one, as activations have them: with zeros a chip needs less power.
DeviceBuffer random_matrix(std::size_t numbers, Element element, float scale) {
  std::vector<float> values(numbers);
  std::uint64_t state = 1;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = scale * (static_cast<float>(state >> 40U) / 8388608.0F - 1.0F);
  }
  const DeviceBuffer plain(Purpose::kScratch, numbers * sizeof(float));
  check_cuda(cudaMemcpy(plain.data(), values.data(), plain.bytes(), cudaMemcpyHostToDevice),
             "cudaMemcpy");
  DeviceBuffer matrix(Purpose::kScratch, numbers * size_of(element));
  cuda::convert(static_cast<const float*>(plain.data()),
                {.data = matrix.data(), .rows = 1, .width = numbers, .element = element}, nullptr);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return matrix;
}

// Milliseconds of a call, the median of calls that follow each other for so many seconds.
double sustained(double seconds, const std::function<void(cudaStream_t)>& call) {
  const Stream stream;
  const auto start = Clock::now();
  const auto elapsed = [&start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<double> milliseconds;
  while (elapsed() < kSettling + seconds || milliseconds.empty()) {
    const bool settled = elapsed() > kSettling;
    Event first;
    Event last;
    first.record(stream);
    constexpr int kCalls = 10;
    for (int i = 0; i < kCalls; ++i) call(stream.get());
    last.record(stream);
    last.synchronize();
    if (settled)
      milliseconds.push_back(static_cast<double>(first.milliseconds_until(last)) / kCalls);
  }
  const auto middle = milliseconds.begin() + static_cast<std::ptrdiff_t>(milliseconds.size() / 2);
  std::nth_element(milliseconds.begin(), middle, milliseconds.end());
  return *middle;
}

void print(const std::string& op, double milliseconds, double amount, const char* unit) {
  std::cout << fmt::format(
                   R"({{"op": "{}", "milliseconds": {:.4f}, "reached": {:.3f}, "unit": "{}"}})", op,
                   milliseconds, amount / milliseconds / 1e9, unit)
            << std::endl;
}

struct Kind {
  std::string name;
  cuda::Gemm gemm;
  Element element;
};

void linears(const Kind& kind, double seconds) {
  struct Layer {
    const char* name;
    std::size_t inputs, outputs;
    Epilogue epilogue;
  };
  for (const Layer& layer : {Layer{"qkv", kWidth, 3 * kWidth, Epilogue::kBias},
                             Layer{"out", kWidth, kWidth, Epilogue::kBiasAdd},
                             Layer{"fc1", kWidth, kFfn, Epilogue::kBiasGelu},
                             Layer{"fc2", kFfn, kWidth, Epilogue::kBiasAdd}}) {
    const DeviceBuffer x = random_matrix(kTokens * layer.inputs, kind.element, 1.7F);
    const DeviceBuffer weight = random_matrix(layer.outputs * layer.inputs, kind.element, 0.03F);
    const DeviceBuffer bias = random_matrix(layer.outputs, Element::kFp32, 0.1F);
    const DeviceBuffer out(Purpose::kScratch, kTokens * layer.outputs * sizeof(float));
    check_cuda(cudaMemset(out.data(), 0, out.bytes()), "cudaMemset");
    const double milliseconds = sustained(seconds, [&](cudaStream_t stream) {
      kind.gemm({.rows = kTokens,
                 .outputs = layer.outputs,
                 .inputs = layer.inputs,
                 .x = x.data(),
                 .weight = weight.data(),
                 .bias = static_cast<const float*>(bias.data()),
                 .out = out.data()},
                layer.epilogue, stream);
    });
    print(fmt::format("{} {}", kind.name, layer.name), milliseconds,
          2.0 * static_cast<double>(kTokens * layer.outputs * layer.inputs), "TFLOP/s");
  }
}

struct AttentionKind {
  std::string name;
  cuda::Attention attention;
  Element element;
};

// As many tokens, in sequences of `length`; what counts is each byte read or written once.
void attention(const AttentionKind& kind, std::size_t length, double seconds) {
  const std::size_t tokens = kTokens / length * length;
  const DeviceBuffer qkv = random_matrix(tokens * 3 * kWidth, kind.element, 1.7F);
  const DeviceBuffer out(Purpose::kScratch, tokens * kWidth * size_of(kind.element));
  const DeviceBuffer angles = random_matrix(length * kWidth / kHeads, Element::kFp32, 1.0F);
  std::vector<std::uint32_t> offsets;
  for (std::size_t i = 0; i <= tokens; i += length)
    offsets.push_back(static_cast<std::uint32_t>(i));
  const std::vector<cuda::AttentionItem> items = cuda::attention_items(offsets);
  const DeviceBuffer device_items(Purpose::kScratch, items.size() * sizeof(items[0]));
  check_cuda(
      cudaMemcpy(device_items.data(), items.data(), device_items.bytes(), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  const cuda::AttentionCall call{
      .qkv = {.data = qkv.data(), .rows = tokens, .width = 3 * kWidth, .element = kind.element},
      .out = {.data = out.data(), .rows = tokens, .width = kWidth, .element = kind.element},
      .items = static_cast<const cuda::AttentionItem*>(device_items.data()),
      .item_count = items.size(),
      .longest = static_cast<std::uint32_t>(length),
      .heads = kHeads,
      .head_width = kWidth / kHeads,
      .cosines = static_cast<const float*>(angles.data()),
      .sines = static_cast<const float*>(angles.data()),
      .slopes = nullptr};
  const double milliseconds =
      sustained(seconds, [&](cudaStream_t stream) { kind.attention(call, stream); });
  print(fmt::format("{} attention, {} tokens a sequence", kind.name, length), milliseconds,
        static_cast<double>(tokens * 4 * kWidth * size_of(kind.element)), "TB/s");
}

void layer_norm(Element element, const std::string& name, double seconds) {
  const DeviceBuffer in = random_matrix(kTokens * kWidth, Element::kFp32, 1.7F);
  const DeviceBuffer weight = random_matrix(kWidth, Element::kFp32, 1.0F);
  const DeviceBuffer out(Purpose::kScratch, kTokens * kWidth * size_of(element));
  const cuda::NormWeights norm{.weight = static_cast<const float*>(weight.data()),
                               .bias = static_cast<const float*>(weight.data()),
                               .eps = 1e-5F};
  const double milliseconds = sustained(seconds, [&](cudaStream_t stream) {
    cuda::layer_norm(norm, {.data = in.data(), .rows = kTokens, .width = kWidth},
                     {.data = out.data(), .rows = kTokens, .width = kWidth, .element = element}, {},
                     stream);
  });
  print(name + " layer norm", milliseconds,
        static_cast<double>(kTokens * kWidth * (sizeof(float) + size_of(element))), "TB/s");
}

void measure(const std::vector<std::string>& words) {
  const double seconds = words.size() > 1 ? std::stod(words[1]) : 2;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::vector<Kind> kinds{{"generic fp16", cuda::gemm_generic_fp16, Element::kFp16},
                          {"generic fp32", cuda::gemm_generic_fp32, Element::kFp32}};
  const bool hopper = properties.major == 9 && properties.minor == 0;
  if (hopper) {
    kinds.insert(kinds.begin(), {{"fp16", cuda::gemm_sm90_fp16, Element::kFp16},
                                 {"bf16", cuda::gemm_sm90_bf16, Element::kBf16}});
  }
  for (const Kind& kind : kinds) linears(kind, seconds);
  std::vector<AttentionKind> attentions{{"generic fp16", cuda::attention_generic, Element::kFp16},
                                        {"generic fp32", cuda::attention_generic, Element::kFp32}};
  if (hopper) {
    attentions.insert(attentions.begin(), {{"fp16", cuda::attention_sm90_fp16, Element::kFp16},
                                           {"bf16", cuda::attention_sm90_bf16, Element::kBf16}});
  }
  for (const AttentionKind& kind : attentions) attention(kind, kLength, seconds);
  for (const std::size_t length : {52U, 104U, 340U, 1026U}) {
    attention(attentions.front(), length, seconds);
  }
  layer_norm(Element::kFp16, "fp16", seconds);
  layer_norm(Element::kFp32, "fp32", seconds);
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}

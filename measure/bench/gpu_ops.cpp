// bench_gpu_ops [SECONDS]
//
// Times the ops of ESM-2 3B on a GPU, at 32,760 tokens in sequences of 168, and the ops that only
// DNABERT-S has. Each op warms up and then runs for SECONDS (default 2), because the power limit
// lowers the clock after a short burst. Prints a line of JSON per op: the median milliseconds, the
// rate, and the rate as a share of the chip's rate at the highest clock.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/bench/serve.hpp"
#include "ops/attention.hpp"
#include "ops/attention_cuda.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/quantise_cuda.hpp"
#include "ops/row_ops_cuda.hpp"
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
constexpr std::size_t kDnaWidth = 768;
constexpr std::size_t kDnaFfn = 3072;
constexpr std::size_t kDnaHeads = 12;
constexpr std::size_t kDnaLength = 100;
constexpr double kSettling = 1;  // seconds of warm-up

// Returns a matrix of random numbers from -scale to scale. Zeros would make a chip draw less power.
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

// Repeats `call` for kSettling, then for `seconds`. Returns the median milliseconds of one call.
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

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

// Returns the tensor cores' 16-bit TFLOP/s at the highest clock, for dense products with sums in
// fp32. NVIDIA states how many operations a multiprocessor does in a clock cycle.
double tensor_ceiling() {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor);
  const int minor = attribute(cudaDevAttrComputeCapabilityMinor);
  if (minor != 0 || (major != 8 && major != 9)) {
    throw std::invalid_argument("the peak rate is known for compute capability 8.0 and 9.0 only");
  }
  const double flop = major == 9 ? 4096 : 2048;
  return flop * attribute(cudaDevAttrMultiProcessorCount) * attribute(cudaDevAttrClockRate) / 1e9;
}

// Returns the memory's TB/s at the highest clock.
double memory_ceiling() {
  return 2.0 * attribute(cudaDevAttrMemoryClockRate) *
         (attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0) / 1e9;
}

void print(const std::string& op, double milliseconds, double amount, const char* unit,
           double ceiling) {
  const double reached = amount / milliseconds / 1e9;
  std::cout << fmt::format(
                   R"({{"op": "{}", "milliseconds": {:.4f}, "reached": {:.3f}, "unit": "{}", )"
                   R"("ceiling": {:.3f}, "share": {:.3f}}})",
                   op, milliseconds, reached, unit, ceiling, reached / ceiling)
            << std::endl;
}

void print_arithmetic(const std::string& op, double milliseconds, double flop, double ceiling) {
  print(op, milliseconds, flop, "TFLOP/s", ceiling);
}

// Prints a rate; `bytes` are all bytes read or written, each counted once.
void print_traffic(const std::string& op, double milliseconds, double bytes) {
  print(op, milliseconds, bytes, "TB/s", memory_ceiling());
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
  for (const Layer& layer :
       {Layer{"qkv", kWidth, 3 * kWidth, Epilogue::kBias},
        Layer{"out", kWidth, kWidth, Epilogue::kBiasAdd},
        Layer{"fc1", kWidth, kFfn, Epilogue::kBiasGelu},
        Layer{"fc2", kFfn, kWidth, Epilogue::kBiasAdd},
        Layer{"DNABERT-S gated unit", kDnaWidth, kDnaFfn, Epilogue::kGeluGate}}) {
    const bool gated = layer.epilogue == Epilogue::kGeluGate;  // two products, the gate's first
    const DeviceBuffer x = random_matrix(kTokens * layer.inputs, kind.element, 1.7F);
    const DeviceBuffer weight = random_matrix(layer.outputs * layer.inputs, kind.element, 0.03F);
    const DeviceBuffer bias = random_matrix(layer.outputs, Element::kFp32, 0.1F);
    const DeviceBuffer out(Purpose::kScratch, kTokens * layer.outputs * sizeof(float));
    check_cuda(cudaMemset(out.data(), 0, out.bytes()), "cudaMemset");
    const cuda::GemmCall call{.rows = kTokens,
                              .outputs = layer.outputs,
                              .inputs = layer.inputs,
                              .x = x.data(),
                              .weight = weight.data(),
                              .bias = static_cast<const float*>(bias.data()),
                              .out = out.data()};
    const double milliseconds = sustained(seconds, [&](cudaStream_t stream) {
      if (gated) kind.gemm(call, Epilogue::kNone, stream);
      kind.gemm(call, layer.epilogue, stream);
    });
    // An fp32 product takes three TF32 products, which have half the rate of 16 bits.
    const double slower = kind.element == Element::kFp32 ? 6 : 1;
    print_arithmetic(
        fmt::format("{} {}", kind.name, layer.name), milliseconds,
        (gated ? 4.0 : 2.0) * static_cast<double>(kTokens * layer.outputs * layer.inputs),
        tensor_ceiling() / slower);
  }
}

// Int8 codes of random numbers from -scale to scale, with a quantisation scale for each row.
struct RandomCodes {
  RandomCodes(std::size_t rows, std::size_t width, float scale)
      : plain(random_matrix(rows * width, Element::kFp16, scale)),
        codes(Purpose::kScratch, rows * width),
        scales(Purpose::kScratch, rows * sizeof(float)),
        matrix{.codes = static_cast<std::int8_t*>(codes.data()),
               .scales = static_cast<float*>(scales.data()),
               .rows = rows,
               .width = width} {
    cuda::quantise_rows(numbers(), Blocks::kPlain, matrix, nullptr);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  DeviceMatrix numbers() const {
    return {.data = plain.data(),
            .rows = matrix.rows,
            .width = matrix.width,
            .element = Element::kFp16};
  }

  DeviceBuffer plain;  // fp16
  DeviceBuffer codes;
  DeviceBuffer scales;
  cuda::CodeMatrix matrix;
};

void int8_linears(const std::string& kind, cuda::Gemm gemm, double seconds) {
  struct Layer {
    const char* name;
    std::size_t inputs, outputs;
    Epilogue epilogue;
  };
  for (const Layer& layer : {Layer{"qkv", kWidth, 3 * kWidth, Epilogue::kBias},
                             Layer{"out", kWidth, kWidth, Epilogue::kBiasAdd16},
                             Layer{"fc1", kWidth, kFfn, Epilogue::kBiasGelu},
                             Layer{"fc2", kFfn, kWidth, Epilogue::kBiasAdd16}}) {
    const RandomCodes x(kTokens, layer.inputs, 1.7F);
    const RandomCodes weight(layer.outputs, layer.inputs, 0.03F);
    const DeviceBuffer bias = random_matrix(layer.outputs, Element::kFp32, 0.1F);
    const DeviceBuffer out(Purpose::kScratch, kTokens * layer.outputs * 2);
    check_cuda(cudaMemset(out.data(), 0, out.bytes()), "cudaMemset");
    const cuda::GemmCall call{.rows = kTokens,
                              .outputs = layer.outputs,
                              .inputs = layer.inputs,
                              .x = x.matrix.codes,
                              .weight = weight.matrix.codes,
                              .bias = static_cast<const float*>(bias.data()),
                              .out = out.data(),
                              .row_scales = x.matrix.scales,
                              .channel_scales = weight.matrix.scales};
    const double milliseconds =
        sustained(seconds, [&](cudaStream_t stream) { gemm(call, layer.epilogue, stream); });
    print_arithmetic(fmt::format("{} {}", kind, layer.name), milliseconds,
                     2.0 * static_cast<double>(kTokens * layer.outputs * layer.inputs),
                     2 * tensor_ceiling());
  }
}

// Times the ops that prepare the inputs of 8-bit products.
void quantising(double seconds) {
  constexpr double kNumbers = double{kTokens} * kWidth;
  const RandomCodes narrow(kTokens, kWidth, 1.7F);
  print_traffic("int8 norm",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::rms_norm(narrow.numbers(), 1e-5F, {}, narrow.matrix, stream);
                          }),
                kNumbers * 3);
  print_traffic("int8 rows of attention",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::quantise_rows(narrow.numbers(), Blocks::kPlain, narrow.matrix,
                                                stream);
                          }),
                kNumbers * 3);
  const RandomCodes wide(kTokens, kFfn, 1.7F);
  print_traffic("int8 rows of GELU",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::quantise_rows(wide.numbers(), Blocks::kRotated, wide.matrix,
                                                stream);
                          }),
                kNumbers * 4 * 3);
}

struct AttentionKind {
  std::string name;
  cuda::Attention attention;
  Element element;
};

std::vector<std::uint32_t> offsets_of(std::size_t length) {
  std::vector<std::uint32_t> offsets;
  for (std::size_t i = 0; i <= kTokens; i += length) {
    offsets.push_back(static_cast<std::uint32_t>(i));
  }
  return offsets;
}

template <typename T>
DeviceBuffer on_device(const std::vector<T>& values) {
  DeviceBuffer buffer(Purpose::kScratch, values.size() * sizeof(T));
  check_cuda(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice),
             "cudaMemcpy");
  return buffer;
}

// Times attention over kTokens tokens in sequences of `length`, with rotary embedding or ALiBi.
void attention(const AttentionKind& kind, std::size_t heads, std::size_t length, bool rotary,
               double seconds) {
  constexpr std::size_t kHeadWidth = 64;
  const std::size_t width = heads * kHeadWidth;
  const std::vector<std::uint32_t> offsets = offsets_of(length);
  const std::size_t tokens = offsets.back();
  const DeviceBuffer qkv = random_matrix(tokens * 3 * width, kind.element, 1.7F);
  const DeviceBuffer out(Purpose::kScratch, tokens * width * size_of(kind.element));
  // Uses real rotations, which keep the numbers' size: each call rotates long sequences in place
  // again.
  const RotaryTable angles(rotary_frequencies(kHeadWidth), length);
  const DeviceBuffer cosines = on_device(std::vector(angles.cosines(0), angles.cosines(length)));
  const DeviceBuffer sines = on_device(std::vector(angles.sines(0), angles.sines(length)));
  const DeviceBuffer slopes = on_device(alibi_slopes(heads));
  const auto floats = [](const DeviceBuffer& buffer) {
    return static_cast<const float*>(buffer.data());
  };
  const std::vector<cuda::AttentionItem> items = cuda::attention_items(offsets);
  const DeviceBuffer device_items = on_device(items);
  const cuda::AttentionCall call{
      .qkv = {.data = qkv.data(), .rows = tokens, .width = 3 * width, .element = kind.element},
      .out = {.data = out.data(), .rows = tokens, .width = width, .element = kind.element},
      .items = static_cast<const cuda::AttentionItem*>(device_items.data()),
      .item_count = items.size(),
      .longest = static_cast<std::uint32_t>(length),
      .heads = static_cast<std::uint32_t>(heads),
      .head_width = kHeadWidth,
      .cosines = rotary ? floats(cosines) : nullptr,
      .sines = rotary ? floats(sines) : nullptr,
      .slopes = rotary ? nullptr : floats(slopes)};
  const double milliseconds =
      sustained(seconds, [&](cudaStream_t stream) { kind.attention(call, stream); });
  const auto name =
      fmt::format("{} attention, {} heads, {} tokens a sequence", kind.name, heads, length);
  const auto numbers = static_cast<double>(tokens * 4 * width);
  if (length > cuda::kWholeRows) {
    print_arithmetic(name, milliseconds, numbers * static_cast<double>(length), tensor_ceiling());
  } else {
    print_traffic(name, milliseconds, numbers * static_cast<double>(size_of(kind.element)));
  }
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
  print_traffic(name + " layer norm", milliseconds,
                static_cast<double>(kTokens * kWidth * (sizeof(float) + size_of(element))));
}

// Times the ops that run once per batch: embedding of tokens, means over frames, classification.
void ends(double seconds) {
  const DeviceBuffer table = random_matrix(33 * kWidth, Element::kFp32, 1.0F);
  std::vector<std::uint8_t> numbers(kTokens);
  for (std::size_t i = 0; i < kTokens; ++i) numbers[i] = static_cast<std::uint8_t>(4 + i % 20);
  const DeviceBuffer tokens = on_device(numbers);
  const DeviceBuffer rows = random_matrix(kTokens * kWidth, Element::kFp32, 1.0F);
  const DeviceMatrix stream_rows{.data = rows.data(), .rows = kTokens, .width = kWidth};
  constexpr double kRowBytes = double{kTokens} * kWidth * sizeof(float);
  print_traffic("embedding",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::embed_rows(static_cast<const float*>(table.data()),
                                             static_cast<const std::uint8_t*>(tokens.data()),
                                             stream_rows, stream);
                          }),
                kRowBytes);
  const DeviceBuffer offsets = on_device(offsets_of(kLength));
  constexpr std::size_t kSequences = kTokens / kLength;
  const DeviceBuffer means(Purpose::kScratch, kSequences * kWidth * sizeof(float));
  const DeviceMatrix mean_matrix{.data = means.data(), .rows = kSequences, .width = kWidth};
  print_traffic("mean pooling",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::mean_rows(stream_rows,
                                            static_cast<const std::uint32_t*>(offsets.data()),
                                            {.skipped = 1, .most = 1024}, mean_matrix, 0, stream);
                          }),
                kRowBytes);
  const DeviceBuffer scores(Purpose::kScratch, kSequences * 2 * sizeof(float));
  const auto* const weight = static_cast<const float*>(table.data());
  print_traffic("two classes with softmax",
                sustained(seconds,
                          [&](cudaStream_t stream) {
                            cuda::two_classes(weight, weight, mean_matrix,
                                              static_cast<float*>(scores.data()), stream);
                          }),
                double{kSequences} * kWidth * sizeof(float));
}

void measure(const std::vector<std::string>& arguments) {
  const double seconds = arguments.size() > 1 ? std::stod(arguments[1]) : 2;
  std::vector<Kind> kinds{{"generic fp16", cuda::gemm_generic_fp16, Element::kFp16},
                          {"generic fp32", cuda::gemm_generic_fp32, Element::kFp32}};
  const bool hopper = attribute(cudaDevAttrComputeCapabilityMajor) == 9;
  if (hopper) {
    kinds.insert(kinds.begin(), {{"fp16", cuda::gemm_sm90_fp16, Element::kFp16},
                                 {"bf16", cuda::gemm_sm90_bf16, Element::kBf16}});
  }
  for (const Kind& kind : kinds) linears(kind, seconds);
  if (hopper) int8_linears("int8", cuda::gemm_sm90_int8, seconds);
  int8_linears("generic int8", cuda::gemm_generic_int8, seconds);
  quantising(seconds);
  std::vector<AttentionKind> attentions{
      {"generic fp16", cuda::attention_generic_fp16, Element::kFp16},
      {"generic fp32", cuda::attention_plain_fp32, Element::kFp32}};
  if (hopper) {
    attentions.insert(attentions.begin(), {{"fp16", cuda::attention_sm90_fp16, Element::kFp16},
                                           {"bf16", cuda::attention_sm90_bf16, Element::kBf16}});
  }
  for (const AttentionKind& kind : attentions) attention(kind, kHeads, kLength, true, seconds);
  for (const std::size_t length : {52U, 104U, 340U, 1026U}) {
    attention(attentions.front(), kHeads, length, true, seconds);
  }
  attention(attentions.front(), kDnaHeads, kDnaLength, false, seconds);
  layer_norm(Element::kFp16, "fp16", seconds);
  layer_norm(Element::kFp32, "fp32", seconds);
  ends(seconds);
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}

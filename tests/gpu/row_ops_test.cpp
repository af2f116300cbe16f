#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gpu/on_device.hpp"
#include "ops/row_ops_cuda.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kRows = 37;
constexpr Element kElements[] = {Element::kFp32, Element::kFp16, Element::kBf16};

std::vector<double> normalised(const std::vector<float>& x, std::size_t row, std::size_t width,
                               const std::vector<float>& weight, const std::vector<float>& bias) {
  double mean = 0;
  for (std::size_t i = 0; i < width; ++i) mean += static_cast<double>(x[row * width + i]);
  mean /= static_cast<double>(width);
  double variance = 0;
  for (std::size_t i = 0; i < width; ++i) {
    variance += std::pow(static_cast<double>(x[row * width + i]) - mean, 2);
  }
  variance /= static_cast<double>(width);
  std::vector<double> out(width);
  for (std::size_t i = 0; i < width; ++i) {
    out[i] = (static_cast<double>(x[row * width + i]) - mean) / std::sqrt(variance + 1e-5) *
                 static_cast<double>(weight[i]) +
             static_cast<double>(bias[i]);
  }
  return out;
}

TEST(LayerNormOnGpu, AgreesWithDoubles) {
  for (const std::size_t width : {8U, 32U, 48U, 320U, 480U, 640U, 768U, 1280U, 2560U, 5120U}) {
    const std::vector<float> x = random_numbers(kRows * width, 1);
    const std::vector<float> weight = random_numbers(width, 2);
    const std::vector<float> bias = random_numbers(width, 3);
    const OnDevice in(kRows, width, Element::kFp32, x);
    const OnDevice device_weight{std::span<const float>(weight)};
    const OnDevice device_bias{std::span<const float>(bias)};
    const cuda::NormWeights norm{device_weight.floats(), device_bias.floats(), 1e-5F};
    for (const Element element : kElements) {
      const OnDevice alone(kRows, width, element);
      cuda::layer_norm(norm, in.matrix(), alone.matrix(), {}, nullptr);
      const OnDevice in_place(kRows, width, Element::kFp32, x);
      const OnDevice also(kRows, width, element);
      cuda::layer_norm(norm, in_place.matrix(), in_place.matrix(), also.matrix(), nullptr);
      EXPECT_EQ(alone.bytes(), also.bytes());
      const std::vector<float> out = alone.numbers();
      const std::vector<float> plain = in_place.numbers();
      for (std::size_t row = 0; row < kRows; ++row) {
        const std::vector<double> expected = normalised(x, row, width, weight, bias);
        for (std::size_t i = 0; i < width; ++i) {
          const double value = expected[i];
          ASSERT_NEAR(static_cast<double>(plain[row * width + i]), value, 5e-6) << width;
          ASSERT_NEAR(static_cast<double>(out[row * width + i]), value,
                      5e-6 + std::abs(value) * rounding(element))
              << width;
        }
      }
    }
  }
}

TEST(EmbeddingOnGpu, TakesTheRowsOfItsTable) {
  constexpr std::size_t kWidth = 48;
  const std::vector<float> table = random_numbers(300 * kWidth, 1);
  const OnDevice device_table{std::span<const float>(table)};
  const std::vector<std::uint16_t> tokens{0, 299, 7, 7, 256};
  const DeviceBuffer device_tokens = device_copy(std::span<const std::uint16_t>(tokens));
  const OnDevice out(tokens.size(), kWidth);
  cuda::embed_rows(device_table.floats(), static_cast<const std::uint16_t*>(device_tokens.data()),
                   out.matrix(), nullptr);
  const std::vector<float> rows = out.numbers();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], table[tokens[i / kWidth] * kWidth + i % kWidth]);
  }
}

TEST(MeanOnGpu, IsOverTheRowsAskedFor) {
  constexpr std::size_t kWidth = 140;
  const std::vector<std::uint32_t> offsets{0, 3, 8, 37};
  const std::vector<float> x = random_numbers(kRows * kWidth, 1);
  const OnDevice in(kRows, kWidth, Element::kFp32, x);
  const DeviceBuffer device_offsets = device_copy(std::span<const std::uint32_t>(offsets));
  const OnDevice out(3, kWidth + 20);
  cuda::mean_rows(in.matrix(), static_cast<const std::uint32_t*>(device_offsets.data()),
                  {.skipped = 1, .most = 4}, out.matrix(), 20, nullptr);
  const std::vector<float> means = out.numbers();
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_TRUE(std::isnan(means[s * (kWidth + 20) + 19])) << "not its columns";
    const std::size_t first = offsets[s] + 1;
    const std::size_t last = std::min<std::size_t>(offsets[s + 1] - 1, first + 4);
    for (std::size_t i = 0; i < kWidth; ++i) {
      double sum = 0;
      for (std::size_t row = first; row < last; ++row)
        sum += static_cast<double>(x[row * kWidth + i]);
      EXPECT_EQ(means[s * (kWidth + 20) + 20 + i],
                static_cast<float>(sum / static_cast<double>(last - first)));
    }
  }
}

TEST(FlagsOnGpu, NameTheRowsThatAreNotFinite) {
  std::vector<float> x = random_numbers(5 * 200, 1);
  x[1 * 200 + 199] = std::numeric_limits<float>::infinity();
  x[4 * 200] = std::numeric_limits<float>::quiet_NaN();
  const OnDevice in(5, 200, Element::kFp32, x);
  const DeviceBuffer flags(Purpose::kScratch, 5);
  cuda::flag_rows(in.matrix(), static_cast<std::uint8_t*>(flags.data()), nullptr);
  std::vector<std::uint8_t> host(5);
  check_cuda(cudaMemcpy(host.data(), flags.data(), 5, cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_EQ(host, (std::vector<std::uint8_t>{0, 1, 0, 0, 1}));
}

TEST(ClassesOnGpu, AgreeWithDoubles) {
  constexpr std::size_t kWidth = 512;
  const std::vector<float> x = random_numbers(kRows * kWidth, 1);
  std::vector<float> weight = random_numbers(2 * kWidth, 2);
  for (float& value : weight) value /= 20;
  const std::vector<float> bias{0.5F, -0.25F};
  const OnDevice in(kRows, kWidth, Element::kFp32, x);
  const OnDevice device_weight{std::span<const float>(weight)};
  const OnDevice device_bias{std::span<const float>(bias)};
  const OnDevice out(kRows, 2);
  cuda::two_classes(device_weight.floats(), device_bias.floats(), in.matrix(),
                    static_cast<float*>(out.data()), nullptr);
  const std::vector<float> scores = out.numbers();
  for (std::size_t row = 0; row < kRows; ++row) {
    double logits[2] = {0.5, -0.25};
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t c = 0; c < 2; ++c) {
        logits[c] +=
            static_cast<double>(x[row * kWidth + i]) * static_cast<double>(weight[c * kWidth + i]);
      }
    }
    const double virus = 1.0 / (1.0 + std::exp(logits[0] - logits[1]));
    EXPECT_NEAR(static_cast<double>(scores[2 * row + 1]), virus, 1e-6);
    EXPECT_NEAR(static_cast<double>(scores[2 * row]), 1.0 - virus, 1e-6);
  }
}

}  // namespace
}  // namespace virnucpro

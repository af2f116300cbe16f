#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gpu/on_device.hpp"
#include "gpu/other_tiles.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/quantise_cuda.hpp"
#include "unit/needs.hpp"

namespace virnucpro {
namespace {

constexpr Epilogue kEpilogues[] = {Epilogue::kBias, Epilogue::kBiasGelu, Epilogue::kBiasAdd16};

// DeviceCodes with a scale a row, on the device.
struct DeviceCodes {
  DeviceCodes(std::size_t rows, std::size_t width)
      : numbers(rows, width, Element::kInt8), scales(1, rows) {}

  cuda::CodeMatrix matrix() const {
    return {.codes = static_cast<std::int8_t*>(numbers.data()),
            .scales = static_cast<float*>(scales.data()),
            .rows = numbers.matrix().rows,
            .width = numbers.matrix().width};
  }

  OnDevice numbers;
  OnDevice scales;
};

DeviceCodes quantised(const OnDevice& in, Blocks blocks) {
  DeviceCodes codes(in.matrix().rows, in.matrix().width);
  cuda::quantise_rows(in.matrix(), blocks, codes.matrix(), nullptr);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return codes;
}

// The Hadamard transform of each 8 numbers, by its definition.
std::vector<double> rotated(const std::vector<float>& values) {
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) {
      const bool negative = __builtin_popcountll(i % 8 & j % 8) % 2 != 0;
      out[i] += (negative ? -1 : 1) * static_cast<double>(values[j]) / std::sqrt(8.0);
    }
  }
  return out;
}

std::vector<double> as_doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

// Rows of very different sizes.
std::vector<float> uneven_rows(std::size_t rows, std::size_t width) {
  std::vector<float> values = random_numbers(rows * width, 7);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= std::pow(4.0F, static_cast<float>(i / width % 7) - 4);
  }
  return values;
}

TEST(Int8OnGpu, ARowsCodesAreTheNearestOnItsScale) {
  constexpr std::size_t kRows = 19;
  for (const std::size_t width : {16U, 320U, 1280U, 2560U, 5120U, 10240U, 20480U}) {
    for (const Element element : {Element::kFp32, Element::kFp16}) {
      const OnDevice in(kRows, width, element, uneven_rows(kRows, width));
      const std::vector<float> values = in.numbers();
      for (const Blocks blocks : {Blocks::kPlain, Blocks::kRotated}) {
        const std::vector<double> right =
            blocks == Blocks::kRotated ? rotated(values) : as_doubles(values);
        const DeviceCodes codes = quantised(in, blocks);
        const std::vector<float> numbers = codes.numbers.numbers();
        const std::vector<float> scales = codes.scales.numbers();
        for (std::size_t row = 0; row < kRows; ++row) {
          double largest = 0;
          for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
            largest = std::max(largest, std::abs(right[i]));
          }
          const double scale = static_cast<double>(scales[row]);
          ASSERT_NEAR(scale, largest / 127, 1e-6 * largest);
          for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
            ASSERT_NEAR(scale * static_cast<double>(numbers[i]), right[i], scale * 0.5001)
                << width << ", row " << row;
          }
        }
      }
    }
  }
}

TEST(Int8OnGpu, ARowThatIsNotFiniteHasNoScale) {
  constexpr std::size_t kWidth = 320;
  std::vector<float> values = random_numbers(5 * kWidth, 3);
  values[kWidth + 17] = std::numeric_limits<float>::quiet_NaN();
  values[2 * kWidth + 300] = -std::numeric_limits<float>::infinity();
  std::fill_n(values.begin() + 3 * kWidth, kWidth, 0.0F);
  for (const Blocks blocks : {Blocks::kPlain, Blocks::kRotated}) {
    const DeviceCodes codes = quantised(OnDevice(5, kWidth, Element::kFp16, values), blocks);
    const std::vector<float> scales = codes.scales.numbers();
    EXPECT_TRUE(std::isfinite(scales[0]));
    EXPECT_TRUE(std::isnan(scales[1]));
    EXPECT_TRUE(std::isnan(scales[2]));
    EXPECT_EQ(scales[3], 0.0F);
    EXPECT_TRUE(std::isfinite(scales[4]));
    const std::vector<float> numbers = codes.numbers.numbers();
    EXPECT_TRUE(std::all_of(numbers.begin() + 3 * kWidth, numbers.begin() + 4 * kWidth,
                            [](float code) { return code == 0; }));
  }
}

TEST(Int8OnGpu, ANormGivesTheSameNumbersInBothTypes) {
  constexpr std::size_t kRows = 21;
  for (const std::size_t width : {16U, 320U, 2560U, 5120U}) {
    const OnDevice in(kRows, width, Element::kFp16, uneven_rows(kRows, width));
    const std::vector<float> x = in.numbers();
    const OnDevice halves(kRows, width, Element::kFp16);
    const DeviceCodes codes(kRows, width);
    cuda::rms_norm(in.matrix(), 1e-5F, halves.matrix(), codes.matrix(), nullptr);
    const std::vector<float> normed = halves.numbers();
    const std::vector<float> numbers = codes.numbers.numbers();
    const std::vector<float> scales = codes.scales.numbers();
    for (std::size_t row = 0; row < kRows; ++row) {
      double squares = 0;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      }
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        const double value = static_cast<double>(x[i]) * inverse;
        ASSERT_NEAR(static_cast<double>(normed[i]), value,
                    1e-6 + std::abs(value) * rounding(Element::kFp16));
        ASSERT_NEAR(static_cast<double>(numbers[i] * scales[row]), value,
                    0.501 * static_cast<double>(scales[row]));
      }
    }
  }
}

TEST(Int8OnGpu, MeansOfNormalisedRowsAgreeWithDoubles) {
  constexpr std::size_t kWidth = 320;
  const std::vector<std::uint32_t> offsets{0, 3, 10, 90};
  const OnDevice in(90, kWidth, Element::kFp16, uneven_rows(90, kWidth));
  const std::vector<float> x = in.numbers();
  const DeviceBuffer device_offsets = device_copy(std::span<const std::uint32_t>(offsets));
  const OnDevice scales(1, 90);
  const OnDevice out(3, kWidth);
  cuda::rms_norm_means(in.matrix(), 1e-5F, static_cast<const std::uint32_t*>(device_offsets.data()),
                       {.skipped = 1, .most = 40}, static_cast<float*>(scales.data()), out.matrix(),
                       nullptr);
  const std::vector<float> means = out.numbers();
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t first = offsets[s] + 1;
    const std::size_t last = std::min<std::size_t>(offsets[s + 1] - 1, first + 40);
    std::vector<double> sums(kWidth);
    for (std::size_t row = first; row < last; ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        squares += std::pow(static_cast<double>(x[row * kWidth + i]), 2);
      }
      const double inverse = 1 / std::sqrt(squares / kWidth + 1e-5);
      for (std::size_t i = 0; i < kWidth; ++i) {
        sums[i] += static_cast<double>(x[row * kWidth + i]) * inverse;
      }
    }
    for (std::size_t i = 0; i < kWidth; ++i) {
      ASSERT_NEAR(static_cast<double>(means[s * kWidth + i]),
                  sums[i] / static_cast<double>(last - first), 2e-6);
    }
  }
}

// A layer with random codes and scales, and inputs whose rows all differ.
struct Layer {
  Layer(std::size_t its_inputs, std::size_t its_outputs, std::size_t its_rows)
      : inputs(its_inputs),
        outputs(its_outputs),
        rows(its_rows),
        x(quantised(OnDevice(rows, inputs, Element::kFp16, random_numbers(rows * inputs, 1)),
                    Blocks::kPlain)),
        weight(quantised(OnDevice(outputs, inputs, Element::kFp32, weights()), Blocks::kPlain)),
        residual(rows, outputs, Element::kFp16, random_numbers(rows * outputs, 4)),
        bias(random_numbers(outputs, 3)) {}

  std::vector<float> weights() const {
    std::vector<float> values = random_numbers(outputs * inputs, 2);
    for (float& value : values) value /= std::sqrt(static_cast<float>(inputs));
    return values;
  }

  OnDevice run(cuda::Gemm gemm, Epilogue epilogue, const std::vector<std::size_t>& order) const {
    const DeviceCodes picked(order.size(), inputs);
    OnDevice out(order.size(), outputs, Element::kFp16);

    for (std::size_t i = 0; i < order.size(); ++i) {
      copy_row(picked.numbers, i, x.numbers, order[i], inputs);
      copy_row(picked.scales, i, x.scales, order[i], sizeof(float));
      if (epilogue == Epilogue::kBiasAdd16) copy_row(out, i, residual, order[i], 2 * outputs);
    }
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    gemm({.rows = order.size(),
          .outputs = outputs,
          .inputs = inputs,
          .x = picked.numbers.data(),
          .weight = weight.numbers.data(),
          .bias = bias_on_device.floats(),
          .out = out.data(),
          .row_scales = picked.scales.floats(),
          .channel_scales = weight.scales.floats()},
         epilogue, nullptr);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return out;
  }

  std::size_t inputs, outputs, rows;
  DeviceCodes x, weight;
  OnDevice residual;
  std::vector<float> bias;
  OnDevice bias_on_device{bias};
};

std::int64_t sum_of(const std::vector<float>& x, const std::vector<float>& weight,
                    std::size_t inputs, std::size_t row, std::size_t output) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < inputs; ++k) {
    sum += static_cast<std::int64_t>(x[row * inputs + k]) *
           static_cast<std::int64_t>(weight[output * inputs + k]);
  }
  return sum;
}

struct Family {
  const char* name;
  cuda::Gemm gemm;
  bool hopper;
  std::size_t kilobytes = 0;  // of shared memory that its tiles need
};

class Int8Products : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    VIRNUCPRO_NEEDS(!GetParam().hopper || is_hopper(), "Hopper");
    VIRNUCPRO_NEEDS(has_shared_memory(GetParam().kilobytes), "more shared memory");
  }
};

INSTANTIATE_TEST_SUITE_P(
    Families, Int8Products,
    testing::Values(
        Family{"sm90", cuda::gemm_sm90_int8, true},
        Family{"generic", cuda::gemm_generic_int8, false},
        Family{"generic_with_100_KB", with_tiles_of<cuda::gemm_generic_int8, 100>, false, 100},
        Family{"generic_with_164_KB", with_tiles_of<cuda::gemm_generic_int8, 164>, false, 164}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Int8Products, AgreeWithDoubles) {
  for (const auto& [inputs, outputs, rows] : std::vector<std::array<std::size_t, 3>>{
           {320, 960, 1}, {64, 160, 7}, {1280, 320, 257}, {2560, 2560, 65}, {32, 32, 300}}) {
    const Layer layer(inputs, outputs, rows);
    const std::vector<float> x = layer.x.numbers.numbers();
    const std::vector<float> weight = layer.weight.numbers.numbers();
    const std::vector<float> row_scales = layer.x.scales.numbers();
    const std::vector<float> channel_scales = layer.weight.scales.numbers();
    const std::vector<float> residual = layer.residual.numbers();
    for (const Epilogue epilogue : kEpilogues) {
      const std::vector<float> out = layer.run(GetParam().gemm, epilogue, all_rows(rows)).numbers();
      for (std::size_t i = 0; i < out.size(); i += 1 + out.size() / 5000) {
        const std::size_t row = i / outputs;
        const std::size_t output = i % outputs;
        double value = static_cast<double>(sum_of(x, weight, inputs, row, output)) *
                           static_cast<double>(row_scales[row]) *
                           static_cast<double>(channel_scales[output]) +
                       static_cast<double>(layer.bias[output]);
        if (epilogue == Epilogue::kBiasAdd16) value += static_cast<double>(residual[i]);
        if (epilogue == Epilogue::kBiasGelu) {
          value = 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
        }
        ASSERT_NEAR(static_cast<double>(out[i]), value,
                    1e-5 + std::abs(value) * rounding(Element::kFp16))
            << inputs << "→" << outputs << ", " << rows << " rows, epilogue "
            << static_cast<int>(epilogue) << ", number " << i;
      }
    }
  }
}

// With scales of one and a bias of minus the sum, which fp32 holds exactly, nothing is left.
TEST_P(Int8Products, HaveExactSums) {
  for (const std::size_t inputs : {320U, 2560U, 10240U}) {
    Layer layer(inputs, 320, 1);
    const std::vector<float> x = layer.x.numbers.numbers();
    const std::vector<float> weight = layer.weight.numbers.numbers();
    const std::vector<float> ones(320, 1.0F);
    cuda::upload(ones, layer.weight.scales.data());
    cuda::upload({ones.data(), 1}, layer.x.scales.data());
    std::vector<float> bias(320);
    for (std::size_t o = 0; o < bias.size(); ++o) {
      const std::int64_t sum = sum_of(x, weight, inputs, 0, o);
      ASSERT_LT(std::abs(sum), 1 << 24U);
      bias[o] = -static_cast<float>(sum);
    }
    cuda::upload(bias, layer.bias_on_device.data());
    for (const float left : layer.run(GetParam().gemm, Epilogue::kBias, {0}).numbers())
      ASSERT_EQ(left, 0.0F);
  }
}

TEST_P(Int8Products, GiveARowTheSameBitsInAnyCompany) {
  for (const auto& [inputs, outputs] :
       std::vector<std::array<std::size_t, 2>>{{640, 1920}, {640, 640}, {2560, 640}}) {
    const Layer layer(inputs, outputs, 700);
    for (const Epilogue epilogue : kEpilogues) {
      expect_same_bits_in_any_company(700, [&](const std::vector<std::size_t>& order) {
        return layer.run(GetParam().gemm, epilogue, order);
      });
    }
  }
}

// Sums are exact, and the epilogue's steps are the same.
TEST(Int8OnGpu, HopperAndGenericProductsHaveTheSameBits) {
  VIRNUCPRO_NEEDS(is_hopper(), "Hopper");
  for (const auto& [inputs, outputs] :
       std::vector<std::array<std::size_t, 2>>{{2560, 7680}, {10240, 2560}, {336, 40}}) {
    const Layer layer(inputs, outputs, 301);
    for (const Epilogue epilogue : kEpilogues) {
      const auto of_hopper = layer.run(cuda::gemm_sm90_int8, epilogue, all_rows(301)).bytes();
      for (const cuda::Gemm generic :
           {cuda::gemm_generic_int8, with_tiles_of<cuda::gemm_generic_int8, 100>,
            with_tiles_of<cuda::gemm_generic_int8, 164>}) {
        EXPECT_EQ(layer.run(generic, epilogue, all_rows(301)).bytes(), of_hopper)
            << inputs << "→" << outputs << ", epilogue " << static_cast<int>(epilogue);
      }
    }
  }
}

// A corrected bias takes away what the outputs of quantised weights and inputs are off in the mean.
TEST(Int8OnGpu, ABiasIsCorrectedByTheMeanError) {
  constexpr std::size_t kRows = 200;
  constexpr std::size_t kInputs = 640;
  constexpr std::size_t kOutputs = 96;
  std::vector<float> shifted = random_numbers(kRows * kInputs, 1);
  for (float& value : shifted) value = std::abs(value);  // as GELU's outputs, of one sign
  const OnDevice x(kRows, kInputs, Element::kFp16, shifted);
  const std::vector<float> exact = x.numbers();
  const std::vector<float> w = random_numbers(kOutputs * kInputs, 2);
  const OnDevice weight(kOutputs, kInputs, Element::kFp32, w);
  for (const Blocks blocks : {Blocks::kPlain, Blocks::kRotated}) {
    const DeviceCodes x_codes = quantised(x, blocks);
    const DeviceCodes w_codes = quantised(weight, blocks);
    const OnDevice rest(kOutputs, kInputs, Element::kInt8);
    auto* const rests = static_cast<std::int8_t*>(rest.data());
    cuda::quantise_rest(weight.matrix(), blocks, w_codes.matrix(), rests, nullptr);
    const OnDevice means(2, kInputs);
    const cuda::ColumnMeans columns{.exact = static_cast<float*>(means.data()),
                                    .coded = static_cast<float*>(means.data()) + kInputs};
    cuda::column_means(x.matrix(), blocks, x_codes.matrix(), columns, nullptr);
    const std::vector<float> none(kOutputs);
    const OnDevice bias{std::span<const float>(none)};
    cuda::correct_bias(w_codes.matrix(), rests, columns, static_cast<float*>(bias.data()), nullptr);
    const std::vector<float> corrections = bias.numbers();
    const std::vector<float> xc = x_codes.numbers.numbers();
    const std::vector<float> xs = x_codes.scales.numbers();
    const std::vector<float> wc = w_codes.numbers.numbers();
    const std::vector<float> ws = w_codes.scales.numbers();
    for (std::size_t o = 0; o < kOutputs; ++o) {
      double error = 0;
      for (std::size_t row = 0; row < kRows; ++row) {
        for (std::size_t k = 0; k < kInputs; ++k) {
          error += static_cast<double>(exact[row * kInputs + k]) *
                   static_cast<double>(w[o * kInputs + k]);
          error -= static_cast<double>(xc[row * kInputs + k]) * static_cast<double>(xs[row]) *
                   static_cast<double>(wc[o * kInputs + k]) * static_cast<double>(ws[o]);
        }
      }
      error /= kRows;
      ASSERT_NEAR(static_cast<double>(corrections[o]), error, 0.02 * std::abs(error) + 1e-3) << o;
    }
  }
}

}  // namespace
}  // namespace virnucpro

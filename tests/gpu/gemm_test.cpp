#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/on_device.hpp"
#include "gpu/other_tiles.hpp"
#include "ops/gemm_cuda.hpp"
#include "unit/needs.hpp"

namespace virnucpro {
namespace {

struct Family {
  const char* name;
  cuda::Gemm gemm;
  Element element;
  bool hopper;
  std::size_t kilobytes = 0;  // of shared memory that its tiles need
};

constexpr Family kFamilies[] = {
    {"sm90 fp16", cuda::gemm_sm90_fp16, Element::kFp16, true},
    {"sm90 bf16", cuda::gemm_sm90_bf16, Element::kBf16, true},
    {"generic fp16", cuda::gemm_generic_fp16, Element::kFp16, false},
    {"generic bf16", cuda::gemm_generic_bf16, Element::kBf16, false},
    {"generic fp16 with 100 KB", with_tiles_of<cuda::gemm_generic_fp16, 100>, Element::kFp16, false,
     100},
    {"generic fp16 with 164 KB", with_tiles_of<cuda::gemm_generic_fp16, 164>, Element::kFp16, false,
     164},
    {"generic bf16 with 100 KB", with_tiles_of<cuda::gemm_generic_bf16, 100>, Element::kBf16, false,
     100},
    {"generic bf16 with 164 KB", with_tiles_of<cuda::gemm_generic_bf16, 164>, Element::kBf16, false,
     164},
    {"generic fp32", cuda::gemm_generic_fp32, Element::kFp32, false},
};

constexpr Epilogue kEpilogues[] = {Epilogue::kBias, Epilogue::kBiasGelu, Epilogue::kBiasAdd,
                                   Epilogue::kBiasAdd16, Epilogue::kGeluGate};

bool reads_out(Epilogue epilogue) {
  return epilogue != Epilogue::kBias && epilogue != Epilogue::kBiasGelu;
}

// A layer with random weights, and inputs whose rows all differ.
struct Layer {
  Layer(const Family& its_family, std::size_t its_inputs, std::size_t its_outputs,
        std::size_t its_rows)
      : family(its_family),
        inputs(its_inputs),
        outputs(its_outputs),
        rows(its_rows),
        x(rows, inputs, family.element, random_numbers(rows * inputs, 1)),
        weight(outputs, inputs, family.element, scaled(random_numbers(outputs * inputs, 2))),
        residual(rows, outputs, Element::kFp32, random_numbers(rows * outputs, 4)),
        narrow(rows, outputs, family.element, random_numbers(rows * outputs, 5)),
        bias(random_numbers(outputs, 3)) {}

  std::vector<float> scaled(std::vector<float> values) const {
    for (float& value : values) value /= std::sqrt(static_cast<float>(inputs));
    return values;
  }

  // Runs these rows of the inputs through the layer.
  OnDevice run(Epilogue epilogue, const std::vector<std::size_t>& order) const {
    const Element out_element = epilogue == Epilogue::kBiasAdd ? Element::kFp32 : family.element;
    const OnDevice picked(order.size(), inputs, family.element);
    OnDevice out(order.size(), outputs, out_element);
    const OnDevice& before = epilogue == Epilogue::kBiasAdd ? residual : narrow;
    for (std::size_t i = 0; i < order.size(); ++i) {
      copy_row(picked, i, x, order[i], inputs * size_of(family.element));
      if (reads_out(epilogue)) copy_row(out, i, before, order[i], outputs * size_of(out_element));
    }
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    family.gemm({.rows = order.size(),
                 .outputs = outputs,
                 .inputs = inputs,
                 .x = picked.data(),
                 .weight = weight.data(),
                 .bias = bias_on_device.floats(),
                 .out = out.data()},
                epilogue, nullptr);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return out;
  }

  const Family& family;
  std::size_t inputs, outputs, rows;
  OnDevice x, weight, residual;
  OnDevice narrow;  // a gate, or a residual in the family's type
  std::vector<float> bias;
  OnDevice bias_on_device{bias};
};

// A layer's numbers, copied to the host.
struct HostLayer {
  std::vector<float> x, weight, residual, narrow;
};

struct Expected {
  double value;
  double magnitude;  // the sum of the terms' absolute values, to which errors are proportional
};

Expected expected(const Layer& layer, Epilogue epilogue, const HostLayer& host, std::size_t row,
                  std::size_t output) {
  const std::size_t place = row * layer.outputs + output;
  double sum = epilogue == Epilogue::kGeluGate ? 0 : static_cast<double>(layer.bias[output]);
  double magnitude = std::abs(sum);
  for (std::size_t k = 0; k < layer.inputs; ++k) {
    const double product = static_cast<double>(host.x[row * layer.inputs + k]) *
                           static_cast<double>(host.weight[output * layer.inputs + k]);
    sum += product;
    magnitude += std::abs(product);
  }
  if (epilogue == Epilogue::kBiasAdd) return {sum + double{host.residual[place]}, magnitude};
  if (epilogue == Epilogue::kBiasAdd16) return {sum + double{host.narrow[place]}, magnitude};
  if (epilogue == Epilogue::kBias) return {sum, magnitude};
  const double gelu = 0.5 * sum * (1 + std::erf(sum / std::sqrt(2.0)));
  if (epilogue == Epilogue::kBiasGelu) return {gelu, magnitude};
  const double gate = double{host.narrow[place]};
  return {gelu * gate, magnitude * std::abs(gate)};
}

class GemmOnGpu : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    VIRNUCPRO_NEEDS(!GetParam().hopper || is_hopper(), "Hopper");
    VIRNUCPRO_NEEDS(has_shared_memory(GetParam().kilobytes), "more shared memory");
  }
};

TEST_P(GemmOnGpu, AgreesWithDoubles) {
  for (const auto& [inputs, outputs, rows] :
       std::vector<std::array<std::size_t, 3>>{{320, 960, 1},
                                               {48, 144, 7},
                                               {768, 6144, 130},
                                               {1280, 320, 257},
                                               {2560, 2560, 65},
                                               {32, 8, 300},
                                               {8, 40, 129}}) {
    const Layer layer(GetParam(), inputs, outputs, rows);
    const HostLayer host{layer.x.numbers(), layer.weight.numbers(), layer.residual.numbers(),
                         layer.narrow.numbers()};
    for (const Epilogue epilogue : kEpilogues) {
      const std::vector<float> out = layer.run(epilogue, all_rows(rows)).numbers();
      const Element stored = epilogue == Epilogue::kBiasAdd ? Element::kFp32 : GetParam().element;
      for (std::size_t i = 0; i < out.size(); i += 1 + out.size() / 5000) {
        const auto [value, magnitude] = expected(layer, epilogue, host, i / outputs, i % outputs);
        const double sums = 8 * magnitude * rounding(Element::kFp32);
        ASSERT_NEAR(static_cast<double>(out[i]), value,
                    1e-6 + sums + std::abs(value) * rounding(stored))
            << inputs << "→" << outputs << ", " << rows << " rows, epilogue "
            << static_cast<int>(epilogue) << ", number " << i;
      }
    }
  }
}

TEST_P(GemmOnGpu, GivesARowTheSameBitsInAnyCompany) {
  for (const auto& [inputs, outputs] :
       std::vector<std::array<std::size_t, 2>>{{640, 1920}, {640, 640}, {2560, 640}}) {
    const Layer layer(GetParam(), inputs, outputs, 700);
    for (const Epilogue epilogue : kEpilogues) {
      expect_same_bits_in_any_company(
          700, [&](const std::vector<std::size_t>& order) { return layer.run(epilogue, order); });
    }
  }
}

// Tiles differ between GPUs, the order of sums does not.
TEST(GenericGemmOnGpu, HasTheSameBitsWithTheTilesOfOtherGpus) {
  const Family own{"", cuda::gemm_generic_fp16, Element::kFp16, false};
  const Family others[] = {
      {"100 KB", with_tiles_of<cuda::gemm_generic_fp16, 100>, Element::kFp16, false, 100},
      {"164 KB", with_tiles_of<cuda::gemm_generic_fp16, 164>, Element::kFp16, false, 164}};
  for (const auto& [inputs, outputs] :
       std::vector<std::array<std::size_t, 2>>{{2560, 2560}, {10240, 2560}, {328, 264}}) {
    const Layer layer(own, inputs, outputs, 301);
    for (const Family& other : others) {
      if (!has_shared_memory(other.kilobytes)) continue;  // tested where there is more
      const Layer as_other(other, inputs, outputs, 301);
      for (const Epilogue epilogue : kEpilogues) {
        EXPECT_EQ(as_other.run(epilogue, all_rows(301)).bytes(),
                  layer.run(epilogue, all_rows(301)).bytes())
            << inputs << "→" << outputs << ", " << other.name << ", epilogue "
            << static_cast<int>(epilogue);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, GemmOnGpu, testing::ValuesIn(kFamilies), [](const auto& family) {
  std::string name = family.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace virnucpro

#include "ops/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "gpu/on_device.hpp"
#include "ops/attention_cuda.hpp"
#include "unit/needs.hpp"

namespace virnucpro {
namespace {

using Offsets = std::vector<std::uint32_t>;

struct Heads {
  std::size_t count;
  std::size_t width;
  bool rotary;
};

struct Family {
  std::string name;
  cuda::Attention attention;
  Element element;
  bool hopper;
};

OnDevice on_gpu(const Family& family, const Heads& heads, const Offsets& offsets,
                const OnDevice& qkv) {
  const std::size_t width = heads.count * heads.width;
  OnDevice out(offsets.back(), width, qkv.matrix().element);
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  const RotaryTable table(rotary_frequencies(heads.width), longest);
  const OnDevice cosines(std::span{table.cosines(0), longest * table.half()});
  const OnDevice sines(std::span{table.sines(0), longest * table.half()});
  const OnDevice slopes{alibi_slopes(heads.count)};
  const auto items = cuda::attention_items(offsets);
  const DeviceBuffer device_items = device_copy(std::span<const cuda::AttentionItem>(items));
  family.attention({.qkv = qkv.matrix(),
                    .out = out.matrix(),
                    .items = static_cast<const cuda::AttentionItem*>(device_items.data()),
                    .item_count = items.size(),
                    .longest = longest,
                    .heads = static_cast<std::uint32_t>(heads.count),
                    .head_width = static_cast<std::uint32_t>(heads.width),
                    .cosines = heads.rotary ? cosines.floats() : nullptr,
                    .sines = heads.rotary ? sines.floats() : nullptr,
                    .slopes = heads.rotary ? nullptr : slopes.floats()},
                   nullptr);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return out;
}

// The CPU's result for the numbers on the device.
std::vector<float> on_cpu(const Heads& heads, const Offsets& offsets,
                          const std::vector<float>& qkv) {
  ThreadPool pool(4);
  const Cancel cancel;
  OpContext context{pool, cancel};
  const std::size_t width = heads.count * heads.width;
  Panels in(offsets.back(), 3 * width);
  std::copy(qkv.begin(), qkv.end(), in.values().begin());
  Panels out(offsets.back(), width);
  if (heads.rotary) {
    rotary_attention(context, heads.count, RotaryTable(rotary_frequencies(heads.width), 4100),
                     offsets, in, out);
  } else {
    alibi_attention(context, alibi_slopes(heads.count), offsets, in, out);
  }
  return {out.values().begin(), out.values().end()};
}

class AttentionOnGpu : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override { VIRNUCPRO_NEEDS(!GetParam().hopper || is_hopper(), "Hopper"); }

  const Element element = GetParam().element;
};

// Batches for every kernel, with the longest sequence on both sides of each limit.
const std::vector<Offsets> kBatches{
    {0, 1, 3, 19, 82, 146},
    {0, 64, 129, 131, 243},
    {0, 112, 113, 226, 402},
    {0, 176, 353, 354, 610},
    {0, 1, 3, 19, 82, 147, 210, 402, 659, 1171, 1684},
};

const std::vector<Offsets> kLongest{{0, 4000}, {0, 5, 4005}};

void expect_agreement(const Family& family, const Heads& heads, const Offsets& offsets) {
  const std::size_t width = heads.count * heads.width;
  const OnDevice qkv(offsets.back(), 3 * width, family.element,
                     random_numbers(offsets.back() * 3 * width, 9));
  const std::vector<float> expected = on_cpu(heads, offsets, qkv.numbers());
  const std::vector<float> out = on_gpu(family, heads, offsets, qkv).numbers();
  // Queries, keys, weights and the result are rounded to the element type.
  const double tolerance = 5e-6 + 8 * rounding(family.element);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(out[i]), static_cast<double>(expected[i]), tolerance)
        << heads.count << " heads of " << heads.width << ", " << offsets.back() << " tokens, row "
        << i / width << ", column " << i % width;
  }
}

TEST_P(AttentionOnGpu, AgreesWithTheCpu) {
  for (const Heads& heads :
       {Heads{2, 64, true}, Heads{3, 64, false}, Heads{2, 24, true}, Heads{2, 16, true},
        Heads{4, 8, true}, Heads{3, 16, false}, Heads{2, 32, true}, Heads{1, 128, true}}) {
    for (const Offsets& offsets : kBatches) expect_agreement(GetParam(), heads, offsets);
  }
}

// Separate, because it would take minutes under the sanitizers.
TEST_P(AttentionOnGpu, AgreesWithTheCpuAtTheLongest) {
  for (const Heads& heads : {Heads{2, 64, true}, Heads{3, 64, false}, Heads{2, 24, true}}) {
    for (const Offsets& offsets : kLongest) expect_agreement(GetParam(), heads, offsets);
  }
}

TEST_P(AttentionOnGpu, GivesASequenceTheSameBitsInAnyCompany) {
  for (const Heads& heads : {Heads{4, 64, true}, Heads{4, 64, false}}) {
    const std::size_t width = heads.count * heads.width;
    for (const std::uint32_t length :
         {1U, 5U, 33U, 64U, 100U, 112U, 170U, 176U, 177U, 300U, 1030U}) {
      const std::vector<float> numbers = random_numbers(length * 3 * width, length);
      const std::vector<std::byte> alone =
          on_gpu(GetParam(), heads, {0, length}, {length, 3 * width, element, numbers}).bytes();
      for (const std::uint32_t before : {1U, 63U, 112U}) {
        for (const std::uint32_t behind : {2U, 176U, 177U, 2000U}) {
          std::vector<float> all = random_numbers(before * 3 * width, 1);
          all.insert(all.end(), numbers.begin(), numbers.end());
          const std::vector<float> rest = random_numbers(behind * 3 * width, 2);
          all.insert(all.end(), rest.begin(), rest.end());
          const std::uint32_t total = before + length + behind;
          const std::vector<std::byte> out =
              on_gpu(GetParam(), heads, {0, before, before + length, total},
                     {total, 3 * width, element, all})
                  .bytes();
          const std::size_t line = width * size_of(element);
          ASSERT_EQ(std::memcmp(out.data() + before * line, alone.data(), length * line), 0)
              << length << " rows behind " << before << " and before " << behind;
        }
      }
    }
  }
}

TEST_P(AttentionOnGpu, KeepsANanInItsSequence) {
  const Heads heads{2, 64, true};
  std::vector<float> numbers = random_numbers(300 * 3 * 128, 3);
  numbers[150 * 3 * 128 + 130] = std::numeric_limits<float>::quiet_NaN();  // a key of [100, 200)
  const std::vector<float> out =
      on_gpu(GetParam(), heads, {0, 100, 200, 300}, {300, 3 * 128, element, numbers}).numbers();
  const auto finite = [&](std::size_t first, std::size_t last) {
    return std::all_of(out.begin() + static_cast<std::ptrdiff_t>(first * 128),
                       out.begin() + static_cast<std::ptrdiff_t>(last * 128),
                       [](float value) { return std::isfinite(value); });
  };
  EXPECT_TRUE(finite(0, 100));
  EXPECT_FALSE(finite(100, 101));
  EXPECT_FALSE(finite(199, 200));
  EXPECT_TRUE(finite(200, 300));
}

INSTANTIATE_TEST_SUITE_P(
    Families, AttentionOnGpu,
    testing::Values(Family{"sm90_fp16", cuda::attention_sm90_fp16, Element::kFp16, true},
                    Family{"sm90_bf16", cuda::attention_sm90_bf16, Element::kBf16, true},
                    Family{"generic_fp16", cuda::attention_generic_fp16, Element::kFp16, false},
                    Family{"generic_bf16", cuda::attention_generic_bf16, Element::kBf16, false},
                    Family{"plain_fp32", cuda::attention_plain_fp32, Element::kFp32, false}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace virnucpro

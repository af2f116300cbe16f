#include "weights/synthetic_variants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unit/weights/weight_builder.hpp"
#include "weights/load.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

using Values = std::vector<float>;

constexpr std::size_t kTokens = 33;
constexpr std::size_t kWidth = 320;  // of the 8M
constexpr std::size_t kFfn = 1280;
constexpr std::size_t kHead = 16;
constexpr const char* kMiddle = "layers.3.";

Esm2Weights esm2_of(const std::string& name) {
  return load_esm2("synthetic:" + name, {});
}

// A tensor of a variant of the 8M with seed 0.
Values values_of(const std::string& ending, const std::string& tensor) {
  const Esm2Weights esm2 = esm2_of("esm2_t6_8M" + ending);
  const Shape shape = esm2.tensors->shape(tensor);
  Values values(shape.size() == 1 ? shape[0] : shape[0] * shape[1]);
  esm2.tensors->read(tensor, shape, values);
  return values;
}

double rms(const Values& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

Values row_of(const Values& matrix, std::size_t columns, std::size_t row) {
  const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(columns)};
}

Values column_of(const Values& matrix, std::size_t columns, std::size_t column) {
  Values values;
  for (std::size_t i = column; i < matrix.size(); i += columns) values.push_back(matrix[i]);
  return values;
}

// Which rows are `factor` times the plain model's; of the others nothing may differ.
std::vector<std::size_t> scaled_rows(const Values& got, const Values& plain, std::size_t columns,
                                     float factor) {
  std::vector<std::size_t> scaled;
  for (std::size_t row = 0; row < got.size() / columns; ++row) {
    Values wanted = row_of(plain, columns, row);
    const Values its = row_of(got, columns, row);
    if (its == wanted) continue;
    for (float& value : wanted) value *= factor;
    EXPECT_EQ(its, wanted) << "row " << row;
    scaled.push_back(row);
  }
  return scaled;
}

// The largest singular value, by power iteration.
double largest_singular_value(const Values& matrix, std::size_t columns) {
  std::vector<double> direction(columns, 1);
  double size = 0;
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<double> next(columns, 0);
    for (std::size_t begin = 0; begin < matrix.size(); begin += columns) {
      double product = 0;
      for (std::size_t i = 0; i < columns; ++i) product += matrix[begin + i] * direction[i];
      for (std::size_t i = 0; i < columns; ++i) next[i] += matrix[begin + i] * product;
    }
    double squares = 0;
    for (const double value : next) squares += value * value;
    size = std::sqrt(std::sqrt(squares));
    for (std::size_t i = 0; i < columns; ++i) direction[i] = next[i] / (size * size);
  }
  return size;
}

TEST(SyntheticVariants, AreFoundByTheirNames) {
  std::set<std::string> hashes{esm2_of("esm2_tiny").tensors->hash()};
  for (const SyntheticVariant& variant : synthetic_variants()) {
    const std::string name = "esm2_tiny-" + std::string(variant.name);
    const Esm2Weights esm2 = esm2_of(name);
    EXPECT_EQ(esm2.tensors->origin(), "synthetic:" + name + ":0");
    EXPECT_EQ(esm2.shape.width, 32U);
    EXPECT_TRUE(esm2.tensors->synthetic());
    EXPECT_EQ(esm2_of(name).tensors->hash(), esm2.tensors->hash());
    hashes.insert(esm2.tensors->hash());
    hashes.insert(esm2_of(name + ":1").tensors->hash());
  }
  EXPECT_EQ(hashes.size(), 1 + 2 * synthetic_variants().size());
  EXPECT_EQ(esm2_of("esm2_t6_8M_UR50D-hard:3").tensors->origin(),
            "synthetic:esm2_t6_8M_UR50D-hard:3");
}

TEST(SyntheticVariants, UnknownOnesAreListed) {
  EXPECT_NE(reason_of(ErrorKind::kWeightsMissing, [] { esm2_of("esm2_tiny-harder"); })
                .find("each name may also end in one of -hard -constant20"),
            std::string::npos);
  EXPECT_EQ(error_of([] { find_synthetic_shape(synthetic_dnabert_shapes(), "dnabert-s-hard"); }),
            ErrorKind::kWeightsMissing);
  EXPECT_EQ(error_of([] { esm2_of("esm2_tiny-hard-ends"); }), ErrorKind::kWeightsMissing);
}

// Large tensors are read block by block.
TEST(SyntheticVariants, PartsOfRowsAreEditedLikeWholeOnes) {
  const Esm2Shape model{.layers = 1, .width = 8, .heads = 2, .ffn = 12};
  const Shape shape{12, 8};
  class Counting : public TensorStream {
   public:
    void fill(std::span<float> next) override {
      for (float& value : next) value = static_cast<float>(++count_);
    }
    void finish() override {}

   private:
    int count_ = 0;
  };
  const auto read = [&](std::size_t part) {
    TensorEdit edit = variant_of("x-hard")->edit(
        {.model = model, .seed = 0, .name = "layers.0.fc1.weight", .shape = shape, .scale = 1});
    edit.column_factors = {1, 2, 3, 4, 5, 6, 7, 8};
    edit.added = 0.5F;
    edit.values = {{0, -1.0F}, {7, -2.0F}, {40, -3.0F}};
    const auto stream = edited(std::make_unique<Counting>(), edit, 8);
    Values values(96);
    for (std::size_t done = 0; done < values.size(); done += part) {
      stream->fill(std::span(values).subspan(done, part));
    }
    return values;
  };
  const Values whole = read(96);
  EXPECT_EQ(whole[7], -2.0F);
  for (const std::size_t part : {1U, 3U, 16U, 32U}) EXPECT_EQ(read(part), whole) << part;
}

TEST(SyntheticVariants, ConstantChannelsAreConstantAndLarge) {
  for (const auto& [ending, ratio] : {std::pair{"-constant20", 20.0}, {"-constant100", 100.0}}) {
    const Values table = values_of(ending, "embed_tokens.weight");
    const Values plain = values_of("", "embed_tokens.weight");
    std::vector<std::size_t> constant;
    for (std::size_t channel = 0; channel < kWidth; ++channel) {
      const Values column = column_of(table, kWidth, channel);
      if (column == column_of(plain, kWidth, channel)) continue;
      EXPECT_TRUE(std::all_of(column.begin(), column.end(),
                              [&](float value) { return value == column[0]; }));
      EXPECT_NEAR(std::fabs(column[0]) / rms(plain), ratio, ratio / 50);
      constant.push_back(channel);
    }
    EXPECT_EQ(constant.size(), 4U);
    for (const char* writer : {"layers.0.self_attn.out_proj", "layers.5.fc2"}) {
      const std::string name = writer;
      const std::size_t inputs = name.ends_with("fc2") ? kFfn : kWidth;
      EXPECT_EQ(scaled_rows(values_of(ending, name + ".weight"), values_of("", name + ".weight"),
                            inputs, 0),
                constant);
      EXPECT_EQ(scaled_rows(values_of(ending, name + ".bias"), values_of("", name + ".bias"), 1, 0),
                constant);
    }
  }
}

TEST(SyntheticVariants, EndsAreMassiveAndLookedFor) {
  const Values table = values_of("-ends", "embed_tokens.weight");
  const Values plain = values_of("", "embed_tokens.weight");
  for (std::size_t token = 0; token < kTokens; ++token) {
    const Values row = row_of(table, kWidth, token);
    const auto massive =
        std::count_if(row.begin(), row.end(), [](float value) { return std::fabs(value) == 512; });
    EXPECT_EQ(massive, token == 0 || token == 2 ? 2 : 0) << token;
    if (massive == 0) {
      EXPECT_EQ(row, row_of(plain, kWidth, token));
    }
  }
  // In each head the query's bias and the massive channel's key meet in one place.
  const Values bias = values_of("-ends", "layers.4.self_attn.q_proj.bias");
  const Values key = values_of("-ends", "layers.4.self_attn.k_proj.weight");
  const auto first = std::find(table.begin(), table.begin() + kWidth, 512.0F) - table.begin();
  for (std::size_t row = 0; row < kWidth; ++row) {
    const bool meets = row % kHead == kHead / 2 - 1;
    EXPECT_EQ(bias[row] == 4.0F, meets) << row;
    EXPECT_EQ(key[row * kWidth + static_cast<std::size_t>(first)] == 0.25F, meets) << row;
  }
}

TEST(SyntheticVariants, SpikesAreInTheMiddleLayerOnly) {
  const std::string fc1 = std::string(kMiddle) + "fc1.weight";
  const std::string fc2 = std::string(kMiddle) + "fc2.weight";
  const std::vector<std::size_t> units =
      scaled_rows(values_of("-spikes", fc1), values_of("", fc1), kWidth, 16);
  EXPECT_EQ(units.size(), kFfn / 128);
  const Values got = values_of("-spikes", fc2);
  const Values plain = values_of("", fc2);
  for (const std::size_t unit : units) {
    EXPECT_EQ(got[unit] * 16, plain[unit]);
    EXPECT_EQ(got[unit + 9 * kFfn] * 16, plain[unit + 9 * kFfn]);
  }
  EXPECT_EQ(values_of("-spikes", "layers.2.fc1.weight"), values_of("", "layers.2.fc1.weight"));
}

TEST(SyntheticVariants, AsymmetricRangesLieToOneSide) {
  const auto mean = [](const std::string& name) {
    const Values values = values_of("-asymmetric", name);
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean("layers.0.self_attn_layer_norm.bias"), 1, 0.01);
  EXPECT_NEAR(mean("layers.5.final_layer_norm.bias"), 1, 0.01);
  EXPECT_NEAR(mean("layers.2.fc1.bias"), 0.5, 0.01);
  EXPECT_EQ(values_of("-asymmetric", "emb_layer_norm_after.bias"),
            values_of("", "emb_layer_norm_after.bias"));
}

TEST(SyntheticVariants, HardHasLargeChannelsAndASpreadSpectrum) {
  const std::string fc2 = std::string(kMiddle) + "fc2.weight";
  const Values writer = values_of("-hard", fc2);
  const Values table = values_of("-hard", "embed_tokens.weight");
  std::vector<std::size_t> written;
  std::vector<std::size_t> embedded;
  std::vector<double> row_sizes;
  for (std::size_t i = 0; i < kWidth; ++i) row_sizes.push_back(rms(row_of(writer, kFfn, i)));
  const double usual = *std::min_element(row_sizes.begin(), row_sizes.end());
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (row_sizes[i] > 3 * usual) written.push_back(i);
    if (rms(column_of(table, kWidth, i)) > 2 * rms(table)) embedded.push_back(i);
  }
  EXPECT_EQ(written.size(), kWidth / 64);
  EXPECT_EQ(embedded, written);

  const std::string fc1 = std::string(kMiddle) + "fc1.weight";
  const auto over_rms = [&](const Values& matrix) {
    return largest_singular_value(matrix, kWidth) / (rms(matrix) * std::sqrt(kFfn));
  };
  EXPECT_LT(over_rms(values_of("", fc1)), 1.6);
  EXPECT_GT(over_rms(values_of("-hard", fc1)), 2.5);
}

// The numbers may not change from one version to the next: others' results were made with them.
TEST(SyntheticVariants, ValuesStayTheSame) {
  const std::map<std::string, std::string> hashes{
      {"", "96085ebdf4ec4f976acbef6c056e2948"},
      {"-hard", "7fcc6ba7cecd318340c006195d60b2ec"},
      {"-constant20", "687274d07c34946f00f5f12333ae93c0"},
      {"-constant100", "b71c640454f0b1308c6d98145bc4dbd9"},
      {"-ends", "1011256045c4796f0f53991c954f092d"},
      {"-spikes", "9f621eb069cc8d63cca5dc6b0302e9cb"},
      {"-asymmetric", "9f0843c65cf4392d2c3b0143277936ef"},
  };
  EXPECT_EQ(hashes.size(), synthetic_variants().size() + 1);
  for (const auto& [ending, hash] : hashes) {
    EXPECT_EQ(esm2_of("esm2_tiny" + ending).tensors->hash(), hash) << ending;
  }
}

}  // namespace
}  // namespace virnucpro

#include "weights/synthetic.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kPrefix = "synthetic";
constexpr std::string_view kPublished = "_UR50D";  // the end of each published ESM-2's name

constexpr std::array kEsm2Shapes{
    SyntheticShape{"esm2_t6_8M_UR50D", 6, 320, 20, 1280},
    SyntheticShape{"esm2_t12_35M_UR50D", 12, 480, 20, 1920},
    SyntheticShape{"esm2_t30_150M_UR50D", 30, 640, 20, 2560},
    SyntheticShape{"esm2_t33_650M_UR50D", 33, 1280, 20, 5120},
    SyntheticShape{"esm2_t36_3B_UR50D", 36, 2560, 40, 10240},
    SyntheticShape{"esm2_t48_15B_UR50D", 48, 5120, 40, 20480},
    SyntheticShape{"esm2_tiny", 2, 32, 4, 128},
};

constexpr std::array kDnabertShapes{
    SyntheticShape{"dnabert-s", 12, 768, 12, 3072},
    SyntheticShape{"dnabert-s-tiny", 2, 48, 3, 96},
};

// Returns 2^24 · u, an odd number. u is the random number of make_synthetic_weights().
std::int32_t odd_number(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t bits = splitmix64(key + index * kSplitMixStep) >> 40U;
  return static_cast<std::int32_t>(2 * bits + 1) - (1 << 24);
}

// Returns the smallest k with 3 · 4^k >= columns.
int fan_in_exponent(std::uint64_t columns) {
  int k = 0;
  for (std::uint64_t reach = 3; reach < columns; reach *= 4) ++k;
  return k;
}

// Returns 2·a·b. a and b are random odd multiples of 2^-10 with few bits, so that edits are exact
// in fp32.
float heavy_tailed(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t bits = splitmix64(key + index * kSplitMixStep);
  const auto odd = [bits](unsigned first) {
    return static_cast<std::int32_t>(2 * (bits >> first & 1023U) + 1) - 1024;
  };
  return static_cast<float>(odd(54) * odd(44)) * 0x1p-19F;
}

struct Recipe {
  std::uint64_t key = 0;
  bool near_one = false;
  float scale = 0;
  bool heavy_tails = false;
};

class SyntheticStream : public TensorStream {
 public:
  explicit SyntheticStream(const Recipe& recipe) : recipe_(recipe) {}

  void fill(std::span<float> next) override {
    const std::uint64_t first = index_;
    if (recipe_.near_one) {
      // Keeps only 13 bits and the sign of the random number, so that 1 + number is exact in fp32.
      for (std::size_t i = 0; i < next.size(); ++i) {
        const std::int32_t coarse = odd_number(recipe_.key, first + i) / (1 << 11);
        next[i] = 1.0F + static_cast<float>(coarse) * 0x1p-16F;
      }
    } else if (recipe_.heavy_tails) {
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] = heavy_tailed(recipe_.key, first + i) * recipe_.scale;
      }
    } else {
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] = static_cast<float>(odd_number(recipe_.key, first + i)) * 0x1p-24F * recipe_.scale;
      }
    }
    index_ += next.size();
  }

  void finish() override {}

 private:
  Recipe recipe_;
  std::uint64_t index_ = 0;
};

class SyntheticWeights : public CheckedWeights {
 public:
  SyntheticWeights(std::string origin, EditOf edit_of) : edit_of_(std::move(edit_of)) {
    origin_ = std::move(origin);
    synthetic_ = true;
  }

  void add(const std::string& name, const NameRow& row, Shape shape, std::uint64_t seed) {
    int exponent = row.exponent;
    if (row.fill == Fill::kFanIn) exponent -= fan_in_exponent(shape.back());
    recipes_[name] = Recipe{.key = splitmix64(seed ^ splitmix64(fnv1a(name))),
                            .near_one = row.fill == Fill::kNearOne,
                            .scale = std::ldexp(1.0F, exponent)};
    tensors_[name] = Tensor{std::move(shape), false};
  }

 private:
  std::unique_ptr<TensorStream> open(const std::string& name) const override {
    Recipe recipe = recipes_.at(name);
    if (!edit_of_) return std::make_unique<SyntheticStream>(recipe);
    const Shape& shape = tensors_.at(name).shape;
    TensorEdit edit = edit_of_(name, shape, recipe.scale);
    recipe.heavy_tails = edit.heavy_tails;
    const std::uint64_t columns = shape.size() == 1 ? 1 : shape.back();
    return edited(std::make_unique<SyntheticStream>(recipe), std::move(edit), columns);
  }

  EditOf edit_of_;  // empty: nothing is edited
  std::map<std::string, Recipe> recipes_;
};

bool has_variants(const SyntheticShape& shape) {
  return shape.name.starts_with("esm2_");
}

// Returns "; each name may also end in one of -hard …" for a message.
std::string variants_text() {
  std::vector<std::string> endings;
  for (const SyntheticVariant& variant : synthetic_variants()) {
    endings.push_back(fmt::format("-{}", variant.name));
  }
  return fmt::format("; each name may also end in one of {}", fmt::join(endings, " "));
}

}  // namespace

std::span<const SyntheticShape> synthetic_esm2_shapes() {
  return kEsm2Shapes;
}
std::span<const SyntheticShape> synthetic_dnabert_shapes() {
  return kDnabertShapes;
}

std::string_view brief_name(const SyntheticShape& shape) {
  std::string_view name = shape.name;
  if (is_published_esm2(shape)) name.remove_suffix(kPublished.size());
  return name;
}

bool is_published_esm2(const SyntheticShape& shape) {
  return shape.name.ends_with(kPublished);
}

Esm2Shape esm2_shape(const SyntheticShape& sizes) {
  return {.layers = sizes.layers,
          .width = sizes.width,
          .heads = sizes.heads,
          .ffn = sizes.ffn,
          .token_dropout = true};
}

bool is_synthetic(std::string_view model) {
  return model == kPrefix ||
         (model.starts_with(kPrefix) && model.substr(kPrefix.size()).starts_with(':'));
}

SyntheticName parse_synthetic(std::string_view model) {
  SyntheticName result;
  std::string_view rest = model.substr(kPrefix.size());
  if (rest.empty()) return result;
  rest.remove_prefix(1);
  const auto parse_seed = [&](std::string_view digits) {
    const char* end = digits.data() + digits.size();
    std::uint64_t seed = 0;
    const auto parsed = std::from_chars(digits.data(), end, seed);
    if (parsed.ec != std::errc() || parsed.ptr != end) return false;
    result.seed = seed;
    return true;
  };
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos && parse_seed(rest)) return result;
  result.name = rest.substr(0, colon);
  if (colon != std::string_view::npos && !parse_seed(rest.substr(colon + 1))) {
    throw Error(ErrorKind::kUsage,
                fmt::format("\"{}\": the seed after the last colon is not a number", model));
  }
  return result;
}

const SyntheticShape& find_synthetic_shape(std::span<const SyntheticShape> shapes,
                                           std::string_view name) {
  const SyntheticVariant* variant = variant_of(name);
  const std::string_view plain =
      variant == nullptr ? name : name.substr(0, name.size() - variant->name.size() - 1);
  std::vector<std::string_view> known;
  bool have_variants = false;
  for (const SyntheticShape& shape : shapes) {
    const std::string_view brief = brief_name(shape);
    const std::string_view wanted = has_variants(shape) ? plain : name;
    if (wanted == shape.name || wanted == brief) return shape;
    known.push_back(brief);
    have_variants = have_variants || has_variants(shape);
  }
  throw Error(ErrorKind::kWeightsMissing,
              fmt::format("there is no synthetic model \"{}\"; the synthetic models are {}{}{}",
                          name, fmt::join(known, " "), have_variants ? variants_text() : "",
                          did_you_mean(name, known)));
}

std::unique_ptr<CheckedWeights> make_synthetic_weights(const NameTable& table,
                                                       const DimSizes& sizes, std::uint32_t layers,
                                                       std::uint64_t seed, std::string origin,
                                                       EditOf edit_of) {
  auto weights = std::make_unique<SyntheticWeights>(std::move(origin), std::move(edit_of));
  for (const NameRow& row : table.rows) {
    if (row.fill == Fill::kAbsent) continue;
    for (std::uint32_t layer = 0; layer < (is_per_layer(row) ? layers : 1U); ++layer) {
      weights->add(layer_name(row.name, layer), row, shape_of(row, sizes), seed);
    }
  }
  return weights;
}

}  // namespace virnucpro

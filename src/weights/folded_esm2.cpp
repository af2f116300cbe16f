#include "weights/folded_esm2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "tokens/esm_alphabet.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kLayers = "layers.";
constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kBias = ".bias";
constexpr std::string_view kFrequencies = ".self_attn.rot_emb.inv_freq";
constexpr std::string_view kEmbedding = "embed_tokens.weight";
constexpr std::string_view kHeadWeight = "head.weight";
constexpr std::string_view kHeadBias = "head.bias";
constexpr std::string_view kLastNorm = "emb_layer_norm_after";
constexpr std::string_view kAttentionNorm = "self_attn_layer_norm";
constexpr std::string_view kFfnNorm = "final_layer_norm";

// A linear and the norm folded into it. A linear without a norm writes to the residual stream.
struct FoldedLinear {
  std::string_view name;
  std::uint32_t Esm2Shape::*outputs;
  std::uint32_t Esm2Shape::*inputs;
  std::string_view norm;  // the norm before the linear; empty: none
  bool outputs_in_heads = false;
  bool inputs_in_heads = false;
};

constexpr std::array kLinears{
    FoldedLinear{"self_attn.q_proj", &Esm2Shape::width, &Esm2Shape::width, kAttentionNorm},
    FoldedLinear{"self_attn.k_proj", &Esm2Shape::width, &Esm2Shape::width, kAttentionNorm},
    FoldedLinear{.name = "self_attn.v_proj",
                 .outputs = &Esm2Shape::width,
                 .inputs = &Esm2Shape::width,
                 .norm = kAttentionNorm,
                 .outputs_in_heads = true},
    FoldedLinear{.name = "self_attn.out_proj",
                 .outputs = &Esm2Shape::width,
                 .inputs = &Esm2Shape::width,
                 .norm = {},
                 .inputs_in_heads = true},
    FoldedLinear{"fc1", &Esm2Shape::ffn, &Esm2Shape::width, kFfnNorm},
    FoldedLinear{"fc2", &Esm2Shape::width, &Esm2Shape::ffn, {}},
};

// The number of vectors in a tile: 8 doubles fill a cache line, and a tile fits in the L2 cache.
constexpr std::size_t kTile = 8;

// The layout of vectors in an array; strides count numbers, not bytes.
struct Vectors {
  std::size_t count;
  std::size_t stride;  // from one vector to the next
  std::size_t width;
  std::size_t element_stride;
};

Vectors rows_of(std::size_t numbers, std::size_t width) {
  return {.count = numbers / width, .stride = width, .width = width, .element_stride = 1};
}

Vectors columns_of(std::size_t numbers, std::size_t rows) {
  const std::size_t columns = numbers / rows;
  return {.count = columns, .stride = 1, .width = rows, .element_stride = columns};
}

// Copies kTile vectors at a time into a tile [width, kTile], calls change(tile, index of the first
// vector), and writes the tile back over the vectors. Columns beyond the last vector are zero.
template <typename Change>
void transform(std::span<float> values, const Vectors& vectors, const Change& change) {
  std::vector<double> tile(vectors.width * kTile);
  for (std::size_t first = 0; first < vectors.count; first += kTile) {
    const std::size_t lanes = std::min(kTile, vectors.count - first);
    if (lanes < kTile) std::fill(tile.begin(), tile.end(), 0.0);
    float* const corner = values.data() + first * vectors.stride;
    const auto at = [&](std::size_t i, std::size_t lane) -> float& {
      return corner[i * vectors.element_stride + lane * vectors.stride];
    };
    for (std::size_t i = 0; i < vectors.width; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        tile[i * kTile + lane] = static_cast<double>(at(i, lane));
      }
    }
    change(std::span<double>(tile), first);
    for (std::size_t i = 0; i < vectors.width; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        at(i, lane) = static_cast<float>(tile[i * kTile + lane]);
      }
    }
  }
}

void rotate(std::span<float> values, const Vectors& vectors, const Rotation& rotation) {
  transform(values, vectors,
            [&](std::span<double> tile, std::size_t) { rotation.apply(tile, kTile); });
}

// Subtracts each vector's mean, then rotates the vector.
void rotate_centred(std::span<float> values, const Vectors& vectors, const Rotation& rotation) {
  transform(values, vectors, [&](std::span<double> tile, std::size_t) {
    std::array<double, kTile> means{};
    for (std::size_t i = 0; i < tile.size(); i += kTile) {
      for (std::size_t lane = 0; lane < kTile; ++lane) means[lane] += tile[i + lane];
    }
    for (double& mean : means) mean /= static_cast<double>(vectors.width);
    for (std::size_t i = 0; i < tile.size(); i += kTile) {
      for (std::size_t lane = 0; lane < kTile; ++lane) tile[i + lane] -= means[lane];
    }
    rotation.apply(tile, kTile);
  });
}

// Replaces `weight` by weight·diag(gain)·Qᵀ. Returns (the old `weight`)·shift.
std::vector<double> fold_norm(std::span<float> weight, std::span<const float> gain,
                              std::span<const float> shift, const Rotation& rotation) {
  const Vectors rows = rows_of(weight.size(), gain.size());
  std::vector<double> products(rows.count);
  transform(weight, rows, [&](std::span<double> tile, std::size_t first) {
    std::array<double, kTile> sums{};
    for (std::size_t i = 0; i < rows.width; ++i) {
      for (std::size_t lane = 0; lane < kTile; ++lane) {
        double& value = tile[i * kTile + lane];
        sums[lane] += value * static_cast<double>(shift[i]);
        value *= static_cast<double>(gain[i]);
      }
    }
    std::copy_n(sums.begin(), std::min(kTile, rows.count - first), products.data() + first);
    rotation.apply(tile, kTile);
  });
  return products;
}

std::string joined(std::string_view first, std::string_view second, std::string_view third = {}) {
  return fmt::format("{}{}{}", first, second, third);
}

}  // namespace

struct FoldedEsm2::Part {
  std::string layer;  // "layers.N."
  const FoldedLinear* linear;
  bool is_bias;

  std::string tensor(std::string_view suffix) const { return joined(layer, linear->name, suffix); }
};

FoldedEsm2::FoldedEsm2(const Weights& plain, const Esm2Shape& shape)
    : plain_(plain),
      shape_(shape),
      stream_(shape.width),
      heads_(Rotation::of_heads(shape.width, shape.width / shape.heads)) {
  origin_ = plain.origin();
  synthetic_ = plain.synthetic();
}

std::optional<FoldedEsm2::Part> FoldedEsm2::part_of(const std::string& name) {
  const std::size_t dot = name.find('.', kLayers.size());
  if (!name.starts_with(kLayers) || dot == std::string::npos) return std::nullopt;
  Part part{.layer = name.substr(0, dot + 1), .linear = nullptr, .is_bias = false};
  for (const FoldedLinear& linear : kLinears) {
    part.linear = &linear;
    part.is_bias = name == part.tensor(kBias);
    if (part.is_bias || name == part.tensor(kWeight)) return part;
  }
  return std::nullopt;
}

bool FoldedEsm2::has(const std::string& name) const {
  if (name == kHeadWeight || name == kHeadBias) return true;
  const bool kept = name == kEmbedding || name.ends_with(kFrequencies) || part_of(name);
  return kept && plain_.has(name);
}

Shape FoldedEsm2::shape(const std::string& name) const {
  if (name == kHeadWeight) return {shape_.width, shape_.width};
  if (name == kHeadBias) return {shape_.width};
  if (name == kEmbedding) return {kEsmVocabulary, shape_.width};
  if (name.ends_with(kFrequencies)) return plain_.shape(name);
  const std::optional<Part> part = part_of(name);
  if (!part) throw Error(ErrorKind::kWeightsTensor, {.file = origin_, .tensor = name}, "missing");
  if (part->is_bias) return {shape_.*part->linear->outputs};
  return {shape_.*part->linear->outputs, shape_.*part->linear->inputs};
}

void FoldedEsm2::read(const std::string& name, const Shape& expected, std::span<float> out) const {
  if (name.ends_with(kFrequencies)) return plain_.read(name, expected, out);
  const Shape actual = shape(name);
  if (actual != expected || element_count(expected) != out.size()) {
    throw Error(ErrorKind::kWeightsTensor, {.file = origin_, .tensor = name},
                fmt::format("shape {}, expected {}", shape_text(actual), shape_text(expected)));
  }
  if (name == kHeadWeight) {
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t i = 0; i < shape_.width; ++i) out[i * shape_.width + i] = 1.0F;
    fold_norm(out, read_norm(joined(kLastNorm, kWeight)), read_norm(joined(kLastNorm, kBias)),
              stream_);
  } else if (name == kHeadBias) {
    plain_.read(joined(kLastNorm, kBias), expected, out);
  } else if (name == kEmbedding) {
    plain_.read(name, expected, out);
    rotate_centred(out, rows_of(out.size(), shape_.width), stream_);
  } else if (const Part part = *part_of(name); part.is_bias) {
    read_bias(part, out);
  } else {
    read_weight(part, out);
  }
}

std::vector<float> FoldedEsm2::read_norm(const std::string& name) const {
  std::vector<float> values(shape_.width);
  plain_.read(name, {values.size()}, values);
  return values;
}

void FoldedEsm2::read_weight(const Part& part, std::span<float> out) const {
  const FoldedLinear& linear = *part.linear;
  const std::size_t outputs = shape_.*linear.outputs;
  const std::string name = part.tensor(kWeight);
  plain_.read(name, shape(name), out);
  if (linear.inputs_in_heads) rotate(out, rows_of(out.size(), shape_.width), heads_);
  if (linear.norm.empty()) {
    rotate_centred(out, columns_of(out.size(), outputs), stream_);
    return;
  }
  std::vector<double> shift = fold_norm(out, read_norm(joined(part.layer, linear.norm, kWeight)),
                                        read_norm(joined(part.layer, linear.norm, kBias)), stream_);
  if (linear.outputs_in_heads) rotate(out, columns_of(out.size(), outputs), heads_);
  const std::lock_guard lock(mutex_);
  shifts_.insert_or_assign(part.tensor({}), std::move(shift));
}

void FoldedEsm2::read_bias(const Part& part, std::span<float> out) const {
  plain_.read(part.tensor(kBias), {out.size()}, out);
  const Vectors whole = rows_of(out.size(), out.size());
  if (part.linear->norm.empty()) {
    rotate_centred(out, whole, stream_);
    return;
  }
  const std::vector<double> shift = shift_of(part);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(static_cast<double>(out[i]) + shift[i]);
  }
  if (part.linear->outputs_in_heads) rotate(out, whole, heads_);
}

std::vector<double> FoldedEsm2::shift_of(const Part& part) const {
  const std::string linear = part.tensor({});
  const auto known = [&]() -> std::optional<std::vector<double>> {
    const std::lock_guard lock(mutex_);
    const auto found = shifts_.find(linear);
    return found == shifts_.end() ? std::nullopt : std::optional(found->second);
  };
  if (auto shift = known()) return *std::move(shift);
  const std::string weight = part.tensor(kWeight);
  std::vector<float> scratch(element_count(shape(weight)).value_or(0));
  read_weight(part, scratch);
  return known().value();
}

}  // namespace virnucpro

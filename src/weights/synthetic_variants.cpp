#include "weights/synthetic_variants.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/hash.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kHardSpacing = 64;    // one channel in this many is large
constexpr float kHardChannel = 4;             // factor of a large channel
constexpr std::uint64_t kHardUnitShare = 32;  // one hidden unit in this many is large
constexpr float kHardUnit = 4;
constexpr float kHardBranch = 2;       // factor of what a layer adds to the residual stream
constexpr float kHardQuery = 2;        // factor of queries, for sharper attention
constexpr float kHardHiddenBias = -1;  // added before GELU, whose results are then mostly small
// Singular values that are added to a matrix, relative to the matrix's own singular values.
constexpr std::array kHardDirections{4.0F, 2.0F, 2.0F, 2.0F};

constexpr std::size_t kConstantChannels = 4;
// Values of constant channels: 20 and 100 times 0.577, the rms of other channels before layer 0.
constexpr float kConstant20 = 11.5F;
constexpr float kConstant100 = 57.75F;

constexpr std::size_t kMassiveChannels = 2;
constexpr float kMassive = 512;
constexpr std::array<std::uint64_t, 2> kEnds{0, 2};  // tokens: <cls>, <eos>

constexpr std::uint64_t kSpikeShare = 128;  // one hidden unit in this many is large
constexpr float kSpike = 16;

constexpr float kAsymmetricNorm = 1;
constexpr float kAsymmetricHidden = 0.5F;

// Random numbers that depend only on the seed and the purpose.
class Choice {
 public:
  Choice(std::uint64_t seed, std::string_view purpose)
      : key_(splitmix64(seed ^ splitmix64(fnv1a(purpose)))) {}

  std::uint64_t number(std::uint64_t index) const {
    return splitmix64(key_ + index * kSplitMixStep);
  }

  // Returns one random index in each of `count` equal parts of [0, size).
  std::vector<std::uint64_t> places(std::uint64_t count, std::uint64_t size) const {
    const std::uint64_t part = size / count;
    std::vector<std::uint64_t> chosen(count);
    for (std::uint64_t i = 0; i < count; ++i) chosen[i] = i * part + number(i) % part;
    return chosen;
  }

 private:
  std::uint64_t key_;
};

std::vector<std::uint64_t> large_channels(const PlainTensor& tensor, std::uint64_t count) {
  return Choice(tensor.seed, "large channels").places(count, tensor.model.width);
}

std::vector<std::uint64_t> large_units(const PlainTensor& tensor, std::uint64_t share) {
  const std::uint64_t units = tensor.model.ffn;
  return Choice(tensor.seed, "large units")
      .places(std::max<std::uint64_t>(1, units / share), units);
}

// Returns `size` factors: others · factor at the indices `places`, `others` at all other indices.
std::vector<float> factors_at(const std::vector<std::uint64_t>& places, std::uint64_t size,
                              float factor, float others = 1) {
  std::vector<float> factors(size, others);
  for (const std::uint64_t place : places) factors[place] = others * factor;
  return factors;
}

bool is_matrix(const PlainTensor& tensor) {
  return tensor.shape.size() == 2;
}

// True for weights and biases of linears whose outputs are added to the residual stream.
bool writes_residual(const PlainTensor& tensor) {
  return tensor.name.find(".out_proj.") != std::string_view::npos ||
         tensor.name.find(".fc2.") != std::string_view::npos;
}

// Returns the largest power of two that is at most 1 / √number.
float near_inverse_root(std::uint64_t number) {
  float power = 1;
  for (std::uint64_t reach = 1; reach < number; reach *= 4) power /= 2;
  return power;
}

// Returns random signs for the rows and columns of a matrix, and the numbers to add. For each of
// the four directions the number is the row's sign · the column's sign · unit · the direction's
// factor in kHardDirections. The signs' products times unit form a matrix with one singular value,
// unit · √(rows · columns). The tensor's old elements have an rms of 2/3 · tensor.scale, so
// its old largest singular value is about √max(rows, columns) · 2/3 · tensor.scale. The unit
// (below) makes the new singular value 0.75 to 1.5 times as large.
PlantedDirections directions_of(const PlainTensor& tensor) {
  const Choice choice(tensor.seed, tensor.name);
  const auto signs_of = [&choice](std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint8_t> signs(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      signs[i] = static_cast<std::uint8_t>(choice.number(first + i) >> 60U);
    }
    return signs;
  };
  const std::uint64_t rows = tensor.shape[0];
  const std::uint64_t columns = tensor.shape[1];
  PlantedDirections directions{.row_signs = signs_of(0, rows),
                               .column_signs = signs_of(rows, columns)};
  const float unit = near_inverse_root(std::min(rows, columns)) * tensor.scale;
  for (std::size_t signs = 0; signs < directions.sums.size(); ++signs) {
    for (std::size_t i = 0; i < kHardDirections.size(); ++i) {
      const bool negative = (signs >> i & 1U) != 0;
      directions.sums[signs] += (negative ? -unit : unit) * kHardDirections[i];
    }
  }
  return directions;
}

TensorEdit hard(const PlainTensor& tensor) {
  TensorEdit edit;
  const std::uint64_t width = tensor.model.width;
  const auto channels = large_channels(tensor, std::max<std::uint64_t>(1, width / kHardSpacing));
  if (tensor.name.ends_with(".fc1.bias")) edit.added = kHardHiddenBias;
  if (!is_matrix(tensor)) return edit;
  edit.heavy_tails = true;
  if (tensor.name == "embed_tokens.weight") {
    edit.column_factors = factors_at(channels, width, kHardChannel);
    return edit;
  }
  edit.directions = directions_of(tensor);
  if (writes_residual(tensor)) {
    edit.row_factors = factors_at(channels, width, kHardChannel, kHardBranch);
  } else if (tensor.name.ends_with(".q_proj.weight")) {
    edit.row_factors.assign(width, kHardQuery);
  } else if (tensor.name.ends_with(".fc1.weight")) {
    edit.row_factors = factors_at(large_units(tensor, kHardUnitShare), tensor.model.ffn, kHardUnit);
  }
  return edit;
}

// Gives some channels the same value for every token. No layer writes to these channels.
TensorEdit constant(const PlainTensor& tensor, float value) {
  TensorEdit edit;
  const std::uint64_t width = tensor.model.width;
  const auto channels = large_channels(tensor, kConstantChannels);
  if (writes_residual(tensor)) edit.row_factors = factors_at(channels, width, 0);
  if (tensor.name == "embed_tokens.weight") {
    for (std::uint64_t token = 0; token < tensor.shape[0]; ++token) {
      for (std::size_t i = 0; i < channels.size(); ++i) {
        edit.values[token * width + channels[i]] = i % 2 == 0 ? value : -value;
      }
    }
  }
  return edit;
}

TensorEdit constant20(const PlainTensor& tensor) {
  return constant(tensor, kConstant20);
}

TensorEdit constant100(const PlainTensor& tensor) {
  return constant(tensor, kConstant100);
}

// Gives the first and the last token massive values in two channels, and makes all queries attend
// to these tokens: in each head's slowest rotary pair, every query has a constant bias, and the key
// is computed from one of the two channels.
TensorEdit ends(const PlainTensor& tensor) {
  TensorEdit edit;
  const std::uint64_t width = tensor.model.width;
  const std::uint64_t head = width / tensor.model.heads;
  const auto channels = large_channels(tensor, kMassiveChannels);
  if (tensor.name == "embed_tokens.weight") {
    for (const std::uint64_t token : kEnds) {
      edit.values[token * width + channels[0]] = kMassive;
      edit.values[token * width + channels[1]] = -kMassive;
    }
  }
  for (std::uint64_t row = head / 2 - 1; row < width; row += head) {
    if (tensor.name.ends_with(".q_proj.bias")) edit.values[row] = 1 / near_inverse_root(head);
    if (tensor.name.ends_with(".k_proj.weight")) {
      edit.values[row * width + channels[0]] = 8 * near_inverse_root(width);
    }
  }
  return edit;
}

// Makes some hidden units of the middle layer large; fc2 divides them by the same factor.
TensorEdit spikes(const PlainTensor& tensor) {
  TensorEdit edit;
  const std::string layer = "layers." + std::to_string(tensor.model.layers / 2);
  const std::uint64_t units = tensor.model.ffn;
  if (tensor.name == layer + ".fc1.weight") {
    edit.row_factors = factors_at(large_units(tensor, kSpikeShare), units, kSpike);
  } else if (tensor.name == layer + ".fc2.weight") {
    edit.column_factors = factors_at(large_units(tensor, kSpikeShare), units, 1 / kSpike);
  }
  return edit;
}

// Shifts the outputs of norms and the inputs of GELU to one side of zero.
TensorEdit asymmetric(const PlainTensor& tensor) {
  TensorEdit edit;
  const bool in_layer = tensor.name.starts_with("layers.");
  if (in_layer && tensor.name.ends_with("_norm.bias")) edit.added = kAsymmetricNorm;
  if (tensor.name.ends_with(".fc1.bias")) edit.added = kAsymmetricHidden;
  return edit;
}

constexpr std::array kVariants{
    SyntheticVariant{"hard", hard},
    SyntheticVariant{"constant20", constant20},
    SyntheticVariant{"constant100", constant100},
    SyntheticVariant{"ends", ends},
    SyntheticVariant{"spikes", spikes},
    SyntheticVariant{"asymmetric", asymmetric},
};

class EditedStream : public TensorStream {
 public:
  EditedStream(std::unique_ptr<TensorStream> plain, TensorEdit edit, std::uint64_t columns)
      : plain_(std::move(plain)), edit_(std::move(edit)), columns_(columns) {}

  void fill(std::span<float> next) override {
    plain_->fill(next);
    for (std::size_t done = 0; done < next.size();) {
      const std::uint64_t column = (index_ + done) % columns_;
      const std::size_t size = std::min<std::uint64_t>(columns_ - column, next.size() - done);
      edit_row(next.subspan(done, size), (index_ + done) / columns_, column);
      done += size;
    }
    const auto end = edit_.values.lower_bound(index_ + next.size());
    for (auto planted = edit_.values.lower_bound(index_); planted != end; ++planted) {
      next[planted->first - index_] = planted->second;
    }
    index_ += next.size();
  }

  void finish() override { plain_->finish(); }

 private:
  // Edits a part of row `row`; the part begins at column `first`.
  void edit_row(std::span<float> part, std::uint64_t row, std::uint64_t first) const {
    if (edit_.directions) {
      const PlantedDirections& planted = *edit_.directions;
      const std::uint8_t* signs = planted.column_signs.data() + first;
      const std::uint8_t row_signs = planted.row_signs[row];
      for (std::size_t i = 0; i < part.size(); ++i) part[i] += planted.sums[row_signs ^ signs[i]];
    }
    if (!edit_.row_factors.empty()) {
      for (float& value : part) value *= edit_.row_factors[row];
    }
    if (!edit_.column_factors.empty()) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] *= edit_.column_factors[first + i];
    }
    if (edit_.added != 0) {
      for (float& value : part) value += edit_.added;
    }
  }

  std::unique_ptr<TensorStream> plain_;
  TensorEdit edit_;
  std::uint64_t columns_;
  std::uint64_t index_ = 0;
};

}  // namespace

std::span<const SyntheticVariant> synthetic_variants() {
  return kVariants;
}

const SyntheticVariant* variant_of(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return nullptr;
  for (const SyntheticVariant& variant : kVariants) {
    if (name.substr(dash + 1) == variant.name) return &variant;
  }
  return nullptr;
}

EditOf edits_of(const SyntheticVariant* variant, const Esm2Shape& model, std::uint64_t seed) {
  if (variant == nullptr) return {};
  return [edit = variant->edit, model, seed](const std::string& name, const Shape& shape,
                                             float scale) {
    return edit({.model = model, .seed = seed, .name = name, .shape = shape, .scale = scale});
  };
}

std::unique_ptr<TensorStream> edited(std::unique_ptr<TensorStream> plain, TensorEdit edit,
                                     std::uint64_t columns) {
  return std::make_unique<EditedStream>(std::move(plain), std::move(edit), columns);
}

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace virnucpro {

using Shape = std::vector<std::uint64_t>;

// The tensors of one model under this program's names (weights/name_tables.hpp), whatever names the
// file uses. A tensor is read directly into the caller's memory, because a second copy of ESM-2 3B
// (11 GB in fp32) would not fit. Each tensor is checked: shape, checksum, no NaN or infinity.
// Several threads may read at once.
class Weights {
 public:
  virtual ~Weights() = default;

  virtual bool has(const std::string& name) const = 0;
  // Throws kWeightsTensor if there is no tensor `name`.
  virtual Shape shape(const std::string& name) const = 0;
  // Writes the values as fp32 into `out`, whose size must be the product of `expected`. Errors:
  // kWeightsTensor (missing, wrong shape), kWeightsNotFinite and kWeightsCorrupt, naming file and
  // tensor; kWeightsRead and kWeightsChanged, naming the file.
  virtual void read(const std::string& name, const Shape& expected, std::span<float> out) const = 0;

  // Returns the weights' name in tables and reports: a path, or "synthetic:NAME:SEED".
  const std::string& origin() const { return origin_; }
  // True if this program made the weights from random numbers, now or in an earlier run.
  bool synthetic() const { return synthetic_; }
  // Returns XXH3-128 over names, shapes and values. All file formats of a model give the same hash.
  virtual std::string hash() const = 0;

 protected:
  std::string origin_;
  bool synthetic_ = false;
};

struct Esm2Shape {
  std::uint32_t layers = 0;
  std::uint32_t width = 0;
  std::uint32_t heads = 0;
  std::uint32_t ffn = 0;
  bool token_dropout = true;  // true: the tokens' embeddings are multiplied by 0.88
};

struct DnabertShape {
  std::uint32_t layers = 0;
  std::uint32_t width = 0;
  std::uint32_t heads = 0;
  std::uint32_t ffn = 0;  // half of the rows of gated_layers
  std::uint32_t vocabulary = 0;
  float layer_norm_eps = 1e-12F;
};

struct ClassifierShape {
  std::uint32_t inputs = 0;
  std::uint32_t hidden = 0;
  std::uint32_t classes = 2;
  float batch_norm_eps = 1e-5F;
};

// The names of the tensors; N stands for the layer's number:
//   embed_tokens.weight [33, w]; layers.N.self_attn.{q,k,v,out}_proj.{weight,bias};
//   layers.N.self_attn.rot_emb.inv_freq [head/2] (may be missing);
//   layers.N.self_attn_layer_norm.*; layers.N.{fc1,fc2}.*; layers.N.final_layer_norm.*;
//   emb_layer_norm_after.*
struct Esm2Weights {
  Esm2Shape shape;
  std::unique_ptr<const Weights> tensors;
};

// Tensors: embeddings.{word,token_type}_embeddings.weight, embeddings.LayerNorm.{weight,bias},
//   encoder.layer.N.attention.self.Wqkv.*, encoder.layer.N.attention.output.{dense,LayerNorm}.*,
//   encoder.layer.N.mlp.gated_layers.weight, encoder.layer.N.mlp.wo.*,
//   encoder.layer.N.mlp.layernorm.*
struct DnabertWeights {
  DnabertShape shape;
  std::unique_ptr<const Weights> tensors;
  std::filesystem::path tokenizer;  // the tokenizer.json of these weights
};

// Tensors: hidden_layer.*, bn1.{weight,bias,running_mean,running_var}, output_layer.*
struct ClassifierWeights {
  ClassifierShape shape;
  std::unique_ptr<const Weights> tensors;
};

}  // namespace virnucpro

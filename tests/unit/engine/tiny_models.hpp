#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "sequence/frames.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "tokens/esm_alphabet.hpp"
#include "weights/load.hpp"

namespace virnucpro {

inline ModelLookup tiny_lookup() {
  return {.models_dir = {}, .share_dir = VIRNUCPRO_SOURCE_DIR "/share/virnucpro"};
}

inline EngineModels tiny_models() {
  EngineModels models;
  models.dnabert_s = load_dnabert_s("synthetic:dnabert-s-tiny", tiny_lookup());
  models.esm2 = load_esm2("synthetic:esm2_tiny", tiny_lookup());
  models.classifier = load_classifier(
      "synthetic", models.dnabert_s.shape.width + models.esm2.shape.width, tiny_lookup());
  return models;
}

// Returns models whose attention heads have width 64, as in the large published models. They are
// the first two layers of other models; ESM-2 gets fewer heads.
inline EngineModels models_with_wide_heads() {
  EngineModels models;
  models.dnabert_s = load_dnabert_s("synthetic:dnabert-s", tiny_lookup());
  models.dnabert_s.shape.layers = 2;
  models.esm2 = load_esm2("synthetic:esm2_t6_8M", tiny_lookup());
  models.esm2.shape.layers = 2;
  models.esm2.shape.heads = models.esm2.shape.width / 64;
  models.classifier = load_classifier(
      "synthetic", models.dnabert_s.shape.width + models.esm2.shape.width, tiny_lookup());
  return models;
}

inline const DnaTokenizer& tiny_tokenizer() {
  static const DnaTokenizer kTokenizer =
      DnaTokenizer::load(VIRNUCPRO_SOURCE_DIR "/share/virnucpro/dnabert-s/tokenizer.json");
  return kTokenizer;
}

// Changes some values of other weights. The values are checked before the change, not after it.
class ChangedWeights : public Weights {
 public:
  using Change = std::function<void(const std::string& name, std::span<float> values)>;

  ChangedWeights(std::unique_ptr<const Weights> weights, Change change)
      : weights_(std::move(weights)), change_(std::move(change)) {
    origin_ = "changed";
  }

  bool has(const std::string& name) const override { return weights_->has(name); }
  Shape shape(const std::string& name) const override { return weights_->shape(name); }
  void read(const std::string& name, const Shape& expected, std::span<float> out) const override {
    weights_->read(name, expected, out);
    change_(name, out);
  }
  std::string hash() const override { return weights_->hash(); }

 private:
  std::unique_ptr<const Weights> weights_;
  Change change_;
};

inline void change(std::unique_ptr<const Weights>& weights, ChangedWeights::Change change) {
  weights = std::make_unique<ChangedWeights>(std::move(weights), std::move(change));
}

// Returns models whose result is NaN for every protein with a W, and for no other protein.
inline EngineModels models_that_fail_on_w() {
  EngineModels models = tiny_models();
  const std::size_t width = models.esm2.shape.width;
  const std::uint8_t tryptophan = esm_tokens("W")[1];
  change(models.esm2.tensors, [=](const std::string& name, std::span<float> values) {
    if (name != "embed_tokens.weight") return;
    for (float& value : values.subspan(tryptophan * width, width)) {
      value = std::numeric_limits<float>::quiet_NaN();
    }
  });
  return models;
}

inline FrameTokens frame_tokens(std::string_view protein, std::string_view nucleotides) {
  return {esm_tokens(protein), tiny_tokenizer().encode(nucleotides)};
}

inline std::string random_text(std::mt19937& random, std::string_view letters, std::size_t length) {
  std::string text(length, ' ');
  for (char& letter : text) letter = letters[random() % letters.size()];
  return text;
}

// Returns a frame of `residues` residues without a W.
inline FrameTokens random_frame(std::mt19937& random, std::size_t residues) {
  return frame_tokens(random_text(random, "LAGVSERTIDPKQNFYMHC", residues),
                      random_text(random, "ACGT", 3 * residues + 1));
}

template <typename T>
void append_tokens(const std::vector<T>& tokens, std::vector<T>& all,
                   std::vector<std::uint32_t>& offsets) {
  all.insert(all.end(), tokens.begin(), tokens.end());
  offsets.push_back(static_cast<std::uint32_t>(all.size()));
}

inline BatchRequest request_of(std::uint64_t id, const std::vector<FrameTokens>& frames) {
  BatchRequest request;
  request.id = id;
  for (const FrameTokens& frame : frames) {
    append_tokens(frame.esm, request.frames.esm_tokens, request.frames.esm_offsets);
    append_tokens(frame.dna, request.frames.dna_tokens, request.frames.dna_offsets);
  }
  return request;
}

}  // namespace virnucpro

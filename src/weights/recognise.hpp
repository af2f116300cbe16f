#pragma once

#include <cstdint>
#include <memory>

#include "weights/checked_weights.hpp"
#include "weights/model_files.hpp"
#include "weights/name_tables.hpp"

namespace virnucpro {

// The shape of a model, read from its tensors and cross-checked with what its settings say.
// Errors: kWeightsTensor when a tensor that tells a size is missing or has another rank,
// kWeightsFormat when the settings contradict the tensors or describe a model of another kind
// (ESM-1b's absolute positions, a BERT with position embeddings), each naming file and setting.
Esm2Shape recognise_esm2(const ModelFiles& model);
DnabertShape recognise_dnabert(const ModelFiles& model);
ClassifierShape recognise_classifier(const ModelFiles& model);

// The tensors under this program's names, for a shape that was recognised. Errors: kWeightsTensor.
std::unique_ptr<CheckedWeights> esm2_tensors(const ModelFiles& model, const Esm2Shape& shape);
std::unique_ptr<CheckedWeights> dnabert_tensors(const ModelFiles& model, const DnabertShape& shape);
std::unique_ptr<CheckedWeights> classifier_tensors(const ModelFiles& model,
                                                   const ClassifierShape& shape);

// The sizes of name tables for a shape.
DimSizes dims_of(const Esm2Shape& shape);
DimSizes dims_of(const DnabertShape& shape);
DimSizes dims_of(const ClassifierShape& shape);

// How many numbers the weights of a shape are.
std::uint64_t numbers_of(const Esm2Shape& shape);
std::uint64_t numbers_of(const DnabertShape& shape);
std::uint64_t numbers_of(const ClassifierShape& shape);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <memory>

#include "weights/checked_weights.hpp"
#include "weights/model_files.hpp"
#include "weights/name_tables.hpp"

namespace virnucpro {

// These find a model's shape from its tensors and compare the shape with the settings. Errors:
// kWeightsTensor if a tensor that determines a size is missing or has a wrong rank; kWeightsFormat
// if the settings contradict the tensors or describe another model family (ESM-1b's absolute
// positions, a BERT with position embeddings). Errors name the file and the setting.
Esm2Shape recognise_esm2(const ModelFiles& model);
DnabertShape recognise_dnabert(const ModelFiles& model);
ClassifierShape recognise_classifier(const ModelFiles& model);

// These return a recognised shape's tensors under this program's names. Errors: kWeightsTensor.
std::unique_ptr<CheckedWeights> esm2_tensors(const ModelFiles& model, const Esm2Shape& shape);
std::unique_ptr<CheckedWeights> dnabert_tensors(const ModelFiles& model, const DnabertShape& shape);
std::unique_ptr<CheckedWeights> classifier_tensors(const ModelFiles& model,
                                                   const ClassifierShape& shape);

// These return the sizes of a shape for the name tables.
DimSizes dims_of(const Esm2Shape& shape);
DimSizes dims_of(const DnabertShape& shape);
DimSizes dims_of(const ClassifierShape& shape);

// These count all numbers in the weights of a shape.
std::uint64_t numbers_of(const Esm2Shape& shape);
std::uint64_t numbers_of(const DnabertShape& shape);
std::uint64_t numbers_of(const ClassifierShape& shape);

}  // namespace virnucpro

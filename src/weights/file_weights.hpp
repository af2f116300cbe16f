#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "weights/checked_weights.hpp"
#include "weights/model_files.hpp"
#include "weights/name_tables.hpp"

namespace virnucpro {

// Returns the file's tensor for a row of a name table; null if there is none.
const LocatedTensor* find_tensor(const ModelFiles& model, const NameTable& table,
                                 const NameRow& row, std::uint32_t layer = 0);
// Returns the tensor of the row `name`. Errors: kWeightsTensor if it is missing, because the model
// cannot be recognised without it.
const LocatedTensor& require_tensor(const ModelFiles& model, const NameTable& table,
                                    std::string_view name);
// Counts the layers, from 0 to the first gap, that have the per-layer tensor `name`.
std::uint32_t count_layers(const ModelFiles& model, const NameTable& table, std::string_view name);

// Returns the tensors of `table` in a model's files. Their presence, shapes and types are checked
// now, their values when they are read. Errors: kWeightsTensor naming the tensor; kWeightsFormat if
// the tensors together are larger than their files.
std::unique_ptr<CheckedWeights> make_file_weights(const ModelFiles& model, const NameTable& table,
                                                  const DimSizes& sizes, std::uint32_t layers);

}  // namespace virnucpro

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
// Returns the tensor of the table's row `name`. Errors: kWeightsTensor if the files lack it.
const LocatedTensor& require_tensor(const ModelFiles& model, const NameTable& table,
                                    std::string_view name);
// Returns how many layers have the tensor `name`, from layer 0 to the first layer without it.
std::uint32_t count_layers(const ModelFiles& model, const NameTable& table, std::string_view name);

// Returns the tensors of `table` in a model's files. Their presence, shapes and types are checked
// now, their values when they are read. Errors: kWeightsTensor naming the tensor; kWeightsFormat if
// the tensors together are larger than their files.
std::unique_ptr<CheckedWeights> make_file_weights(const ModelFiles& model, const NameTable& table,
                                                  const DimSizes& sizes, std::uint32_t layers);

}  // namespace virnucpro

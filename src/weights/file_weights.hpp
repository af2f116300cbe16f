#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "weights/checked_weights.hpp"
#include "weights/model_files.hpp"
#include "weights/name_tables.hpp"

namespace virnucpro {

// The file's tensor that a row of a name table stands for; null when there is none.
const LocatedTensor* find_tensor(const ModelFiles& model, const NameTable& table,
                                 const NameRow& row, std::uint32_t layer = 0);
// The same by the row's name, for a tensor without which the model cannot be told.
// Errors: kWeightsTensor.
const LocatedTensor& require_tensor(const ModelFiles& model, const NameTable& table,
                                    std::string_view name);
// How many layers in a row the file has the per-layer tensor `name` of.
std::uint32_t count_layers(const ModelFiles& model, const NameTable& table, std::string_view name);

// The tensors of `table` over the files of a model, each found and its shape and type checked now;
// its values when they are read. Errors: kWeightsTensor naming the tensor, kWeightsFormat for
// tensors that are together larger than their files.
std::unique_ptr<CheckedWeights> make_file_weights(const ModelFiles& model, const NameTable& table,
                                                  const DimSizes& sizes, std::uint32_t layers);

}  // namespace virnucpro

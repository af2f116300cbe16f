#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/checked_weights.hpp"

namespace virnucpro {

// Numbers to add to a matrix, so that it has large singular values in four random directions.
struct PlantedDirections {
  std::vector<std::uint8_t> row_signs;  // four bits a row, one for each direction
  std::vector<std::uint8_t> column_signs;
  std::array<float, 16> sums{};  // numbers to add; the index is row_signs ^ column_signs
};

// The changes that turn a plain tensor into a variant's tensor, in the order in which they are
// applied. A vector counts as a matrix of one column. All steps except additions are exact in fp32.
struct TensorEdit {
  // True: 2·a·b replaces the random number u of Fill (name_tables.hpp). a and b are random, uniform
  // in (-1, 1).
  bool heavy_tails = false;
  std::optional<PlantedDirections> directions;
  std::vector<float> row_factors;  // empty: all are one
  std::vector<float> column_factors;
  float added = 0;
  std::map<std::uint64_t, float> values;  // by index; they replace the former values
};

// The plain tensor that a variant edits.
struct PlainTensor {
  const Esm2Shape& model;
  std::uint64_t seed;
  std::string_view name;
  const Shape& shape;
  float scale;  // the factor of Fill's u
};

// A variant of synthetic ESM-2. It has a property of trained models that makes computing in 8 or 16
// bits less exact. docs/reference/semantics.md, section 8, describes each variant.
struct SyntheticVariant {
  std::string_view name;
  TensorEdit (*edit)(const PlainTensor& tensor);
};

std::span<const SyntheticVariant> synthetic_variants();
// Returns the variant of "NAME-VARIANT"; null if no variant has this name.
const SyntheticVariant* variant_of(std::string_view name);

// Returns a tensor's edit, given the tensor's name, its shape and the factor of Fill's u.
using EditOf = std::function<TensorEdit(const std::string&, const Shape&, float)>;
// Returns the edits of a variant; empty if `variant` is null.
EditOf edits_of(const SyntheticVariant* variant, const Esm2Shape& model, std::uint64_t seed);

// Returns `plain` with the edits applied. The tensor's rows have `columns` values. If
// edit.heavy_tails is set, `plain` must already have heavy tails.
std::unique_ptr<TensorStream> edited(std::unique_ptr<TensorStream> plain, TensorEdit edit,
                                     std::uint64_t columns);

}  // namespace virnucpro

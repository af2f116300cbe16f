#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/weights.hpp"

namespace virnucpro {

// The sizes that make up the shapes of a model's tensors.
enum class Dim : std::uint8_t {
  kNone,  // no such dimension
  kWidth,
  kFfn,
  kTwiceFfn,
  kThriceWidth,
  kHalfHead,
  kVocabulary,
  kTokenTypes,
  kInputs,
  kHidden,
  kClasses,
  kCount,
};
using DimSizes = std::array<std::uint64_t, static_cast<std::size_t>(Dim::kCount)>;

inline std::uint64_t& size_of(DimSizes& sizes, Dim dim) {
  return sizes[static_cast<std::size_t>(dim)];
}

// The rule by which synthetic weights fill a tensor. u is a random number, uniform in (-1, 1).
enum class Fill : std::uint8_t {
  kUniform,  // u · 2^exponent
  kFanIn,    // u · 2^(exponent - k), with the smallest k for which 3·4^k ≥ columns. Inputs with
             // an rms of 1 then give products with an rms in (0.5, 1] · 2^exponent.
  kNearOne,  // 1 + u/8
  kAbsent,   // the tensor is left out
};

enum Trait : std::uint8_t { kPlain = 0, kOptional = 1, kNonNegative = 2 };

// One kind of tensor: its name in this program and in files, its shape, and the rule for its
// synthetic values. In a name, ".N." stands for the layer's number.
struct NameRow {
  std::string_view name;
  std::string_view also;  // its name in another format; empty: none
  Dim rows;
  Dim columns;  // kNone: a vector
  Fill fill;
  int exponent;
  std::uint8_t traits = kPlain;
};

struct NameTable {
  std::span<const NameRow> rows;
  std::span<const std::string_view> prefixes;  // prefixes that names in a file may have
};

const NameTable& esm2_names();
const NameTable& dnabert_names();
const NameTable& classifier_names();

// Returns `pattern` with the layer's number in place of N.
std::string layer_name(std::string_view pattern, std::uint32_t layer);
// True if each layer has its own tensor of this row.
bool is_per_layer(const NameRow& row);
Shape shape_of(const NameRow& row, const DimSizes& sizes);
// Counts the numbers in all tensors of a model, without the optional tensors.
std::uint64_t count_numbers(const NameTable& table, const DimSizes& sizes, std::uint32_t layers);

}  // namespace virnucpro

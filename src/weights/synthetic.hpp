#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weights/checked_weights.hpp"
#include "weights/name_tables.hpp"
#include "weights/synthetic_variants.hpp"

namespace virnucpro {

// The shape of a model for which synthetic weights can be made.
struct SyntheticShape {
  std::string_view name;
  std::uint32_t layers;
  std::uint32_t width;
  std::uint32_t heads;
  std::uint32_t ffn;
};

// These return the published shapes, and the tiny ones for tests and demonstrations (esm2_tiny, …).
std::span<const SyntheticShape> synthetic_esm2_shapes();
std::span<const SyntheticShape> synthetic_dnabert_shapes();
// Returns the name without the end "_UR50D" of published ESM-2 names, which users may leave out.
std::string_view brief_name(const SyntheticShape& shape);
bool is_published_esm2(const SyntheticShape& shape);
Esm2Shape esm2_shape(const SyntheticShape& sizes);

// The parts of "synthetic:NAME[:SEED]" or "synthetic[:SEED]". `name` is empty in the second form,
// and "NAME-VARIANT" for a variant. The default seed is 0.
struct SyntheticName {
  std::string name;
  std::uint64_t seed = 0;
};
bool is_synthetic(std::string_view model);
// Throws kUsage if the seed is not a number.
SyntheticName parse_synthetic(std::string_view model);
// Finds a shape by its name, for ESM-2 also by a variant's name. Errors: kWeightsMissing.
const SyntheticShape& find_synthetic_shape(std::span<const SyntheticShape> shapes,
                                           std::string_view name);

// Makes a model's weights. Value `index` of a tensor follows its row's Fill, with u = (2·bits + 1 -
// 2^24) / 2^24, which is uniform in (-1, 1). `bits` are the top 24 bits of number `index` in the
// SplitMix64 sequence of `seed` and the tensor's name. Every step is exact in fp32, so the weights
// are the same on every machine, in any order of reading. `edit_of` returns a variant's changes.
std::unique_ptr<CheckedWeights> make_synthetic_weights(const NameTable& table,
                                                       const DimSizes& sizes, std::uint32_t layers,
                                                       std::uint64_t seed, std::string origin,
                                                       EditOf edit_of = {});

}  // namespace virnucpro

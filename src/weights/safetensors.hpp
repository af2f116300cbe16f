#pragma once

#include <string>
#include <vector>

#include "base/steady_file.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {

struct Safetensors {
  std::vector<StoredTensor> tensors{};  // in the order of their data
  // Origin of synthetic weights, in the free-text metadata (weights/write_weights.cpp writes it).
  std::string origin{};
};

// Parses a safetensors file (https://github.com/huggingface/safetensors, "Format"): eight bytes of
// header length, a JSON header, then the data. The tensors cover the data completely, without gap
// or overlap. Errors: kWeightsTruncated if the data end too early, kWeightsFormat and kJson for the
// rest; those of reading the file. A claimed size alone allocates nothing.
Safetensors parse_safetensors(const SteadyFile& file);

}  // namespace virnucpro

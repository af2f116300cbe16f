#pragma once

#include <string>
#include <vector>

#include "base/steady_file.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {

struct Safetensors {
  std::vector<StoredTensor> tensors{};  // in the order of their data
  // The origin of synthetic weights, which write_weights.cpp puts into __metadata__; else empty.
  std::string origin{};
};

// Parses a safetensors file (https://github.com/huggingface/safetensors, "Format"): eight bytes of
// header length, a JSON header, then the data. The tensors must cover the data without gap or
// overlap. Memory is allocated only for bytes that the file has. Errors: kWeightsTruncated if the
// data end too early; kWeightsFormat and kJson for other faults; those of reading the file.
Safetensors parse_safetensors(const SteadyFile& file);

}  // namespace virnucpro

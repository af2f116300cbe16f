#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weights/stored_tensor.hpp"

namespace virnucpro {

struct Safetensors {
  std::vector<StoredTensor> tensors{};  // in the order of their data
  // Of the free text beside them: where weights that are made up say what they are made of
  // (write_safetensors of weights/export.cpp).
  std::string origin{};
};

// A safetensors file (https://github.com/huggingface/safetensors, "Format"): eight bytes of header
// length, a JSON header, then the data, which the tensors cover without hole or overlap to the last
// byte.
// Errors: kWeightsTruncated when the data end too early, kWeightsFormat and kJson for the rest;
// nothing is allocated by a size that the file only claims.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& file);

}  // namespace virnucpro

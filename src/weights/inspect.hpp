#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

struct InspectedTensor {
  std::string name;  // as the file has it
  DType dtype;
  Shape shape;
};

// What `utils inspect` tells of a file or directory of weights.
struct Inspection {
  std::string kind;   // "safetensors", "torch zip, pickled __main__.MLPClassifier", …
  std::string model;  // "ESM-2", "DNABERT-S", "classifier", or "unknown"
  std::string shape;  // "36 layers, width 2560, 40 heads, feed-forward 10240"
  std::vector<InspectedTensor> tensors;
  std::string problem;  // why the program would not take it; empty: it would
  std::string hash;     // of the values, once they were checked
};

// Looks at a file or directory; with `check_values` every value is read and its checksum, and that
// it is finite, are tested. What is wrong with the model itself is told in `problem`.
// Errors: the kWeights* family, kPickleForbidden and kJson when the files cannot be understood.
Inspection inspect_model(const std::filesystem::path& path, bool check_values);

}  // namespace virnucpro

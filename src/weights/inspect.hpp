#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weights/dtype.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

struct InspectedTensor {
  std::string name;  // as in the file
  DType dtype;
  Shape shape;
};

// The report of `utils inspect` on a file or directory of weights.
struct Inspection {
  std::string kind;   // "safetensors", "torch zip, pickled __main__.MLPClassifier", …
  std::string model;  // "ESM-2", "DNABERT-S", "classifier", or "unknown"
  std::string shape;  // "36 layers, width 2560, 40 heads, feed-forward 10240"
  std::vector<InspectedTensor> tensors;
  std::string problem;  // why the program would refuse the model; else empty
  std::string hash;     // of the values, if they were checked
};

// Describes a file or directory of weights. With `check_values` it reads all values, and checks
// that they are finite and that the checksums are right. `problem` says what is wrong with the
// model itself. Errors: kWeights*, kPickleForbidden, kPickleTooLarge and kJson if the files cannot
// be parsed.
Inspection inspect_model(const std::filesystem::path& path, bool check_values);

}  // namespace virnucpro

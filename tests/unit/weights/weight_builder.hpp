#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "unit/temp_dir.hpp"
#include "unit/weights/zip_builder.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

inline constexpr ErrorKind kBadFormat = ErrorKind::kWeightsFormat;

inline std::filesystem::path weight_data() {
  return std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "tests" / "data" / "weights";
}

// A folder for one test, with a function that writes a file.
class ScratchDir : public TempDir {
 public:
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::path path = *this / name;
    std::filesystem::create_directories(path.parent_path());
    write_text(path, std::string(text));
    return path;
  }
};

struct BuiltTensor {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

// Returns a safetensors file with the given header and data.
inline std::string safetensors_of(std::string_view header, std::string_view data) {
  return le_bytes(header.size(), 8) + std::string(header) + std::string(data);
}

inline std::string build_safetensors(const std::vector<BuiltTensor>& tensors) {
  std::string header = "{";
  std::string data;
  for (const BuiltTensor& tensor : tensors) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.values.data()), 4 * tensor.values.size());
    header += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})",
                          header.size() > 1 ? "," : "", tensor.name, fmt::join(tensor.shape, ","),
                          begin, data.size());
  }
  return safetensors_of(header + "}", data);
}

// Returns the tensors of a small classifier; all values are `value` except the variances.
inline std::vector<BuiltTensor> small_classifier(float value = 0.5F) {
  const auto full = [&](std::size_t count) { return std::vector<float>(count, value); };
  return {{"hidden_layer.weight", {2, 3}, full(6)},
          {"hidden_layer.bias", {2}, full(2)},
          {"bn1.weight", {2}, full(2)},
          {"bn1.bias", {2}, full(2)},
          {"bn1.running_mean", {2}, full(2)},
          {"bn1.running_var", {2}, {1.0F, 2.0F}},
          {"output_layer.weight", {2, 2}, full(4)},
          {"output_layer.bias", {2}, full(2)}};
}

// Returns the kind of the Error that `act` throws. Sets `message`, if not null, to its text.
inline ErrorKind error_of(const std::function<void()>& act, std::string* message = nullptr) {
  const Error error = thrown(act);
  if (message != nullptr) *message = error.what();
  return error.kind();
}

}  // namespace virnucpro

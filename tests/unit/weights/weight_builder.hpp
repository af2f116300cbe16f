#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "unit/weights/zip_builder.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

inline std::filesystem::path weight_data() {
  return std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "tests" / "data" / "weights";
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder for one test, removed at its end.
class ScratchDir {
 public:
  ScratchDir() {
    std::string name = (std::filesystem::temp_directory_path() / "virnucpro-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchDir() { std::filesystem::remove_all(path_); }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct BuiltTensor {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

// A safetensors file with the given header and data.
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

// The tensors of a small classifier; all values are `value` except the variances.
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

// The kind of the error that `act` throws; sets `message` to its text unless null.
inline ErrorKind error_of(const std::function<void()>& act, std::string* message = nullptr) {
  try {
    act();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::kInternal;
}

}  // namespace virnucpro

#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ops/context.hpp"
#include "ops/row_ops_cuda.hpp"
#include "ops/uploads_cuda.hpp"
#include "tensor/cuda_error.hpp"
#include "tensor/device_memory.hpp"
#include "tensor/matrix.hpp"

namespace virnucpro {

inline std::vector<float> random_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Returns a number of type `element` as fp32.
inline float widened(const void* at, Element element) {
  std::uint16_t bits = 0;
  float value = 0;
  if (element == Element::kInt8) {
    return static_cast<float>(*static_cast<const std::int8_t*>(at));
  }
  if (element == Element::kFp32) {
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::memcpy(&bits, at, sizeof bits);
  if (element == Element::kBf16) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
  _Float16 half = 0;
  std::memcpy(&half, &bits, sizeof half);
  return static_cast<float>(half);
}

// A matrix that owns its memory on the device; its numbers start as NaN.
class OnDevice {
 public:
  OnDevice(std::size_t rows, std::size_t width, Element element = Element::kFp32)
      : buffer_(Purpose::kScratch, rows * width * size_of(element)),
        matrix_{.data = buffer_.data(), .rows = rows, .width = width, .element = element} {
    check_cuda(cudaMemset(buffer_.data(), 0xff, buffer_.bytes()), "cudaMemset");
  }
  OnDevice(std::size_t rows, std::size_t width, Element element, std::span<const float> values)
      : OnDevice(rows, width, element) {
    const OnDevice plain(values);
    cuda::convert(static_cast<const float*>(plain.data()), matrix_, nullptr);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  explicit OnDevice(std::span<const float> values) : OnDevice(1, values.size()) {
    cuda::upload(values, buffer_.data());
  }

  void* data() const { return buffer_.data(); }
  const float* floats() const { return static_cast<const float*>(buffer_.data()); }
  const DeviceMatrix& matrix() const { return matrix_; }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> host(matrix_.bytes());
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check_cuda(cudaMemcpy(host.data(), buffer_.data(), host.size(), cudaMemcpyDeviceToHost),
               "cudaMemcpy");
    return host;
  }
  std::vector<float> numbers() const {
    const std::vector<std::byte> host = bytes();
    std::vector<float> values(matrix_.rows * matrix_.width);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = widened(host.data() + i * size_of(matrix_.element), matrix_.element);
    }
    return values;
  }

 private:
  DeviceBuffer buffer_;
  DeviceMatrix matrix_;
};

template <typename T>
DeviceBuffer device_copy(std::span<const T> values) {
  DeviceBuffer buffer(Purpose::kScratch, values.size_bytes());
  check_cuda(cudaMemcpy(buffer.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
             "cudaMemcpy");
  return buffer;
}

// Copies a row within the device. `bytes` is the size of a row.
inline void copy_row(const OnDevice& to, std::size_t at, const OnDevice& from, std::size_t row,
                     std::size_t bytes) {
  check_cuda(cudaMemcpy(static_cast<std::byte*>(to.data()) + at * bytes,
                        static_cast<const std::byte*>(from.data()) + row * bytes, bytes,
                        cudaMemcpyDeviceToDevice),
             "cudaMemcpy");
}

// Returns the relative rounding error of an element type.
constexpr double rounding(Element element) {
  switch (element) {
    case Element::kFp16:
      return 1.0 / 2048;
    case Element::kBf16:
      return 1.0 / 256;
    case Element::kFp32:
      return 1.0 / (1U << 24U);
    case Element::kInt8:
      break;
  }
  return 0;
}

inline std::vector<std::size_t> all_rows(std::size_t rows) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Checks that a row always has the same bits, whichever other rows are computed with it. `run`
// computes the given rows.
template <typename Run>
void expect_same_bits_in_any_company(std::size_t rows, const Run& run) {
  const OnDevice whole = run(all_rows(rows));
  const std::vector<std::byte> all = whole.bytes();
  const std::size_t line = all.size() / rows;
  std::mt19937 random(5);
  for (const std::size_t count : {1U, 2U, 63U, 127U, 128U, 129U, 256U, 511U}) {
    std::vector<std::size_t> order(count);
    for (std::size_t& row : order) row = random() % rows;
    const std::vector<std::byte> some = run(order).bytes();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(some.data() + i * line, all.data() + order[i] * line, line), 0)
          << count << " rows, row " << i;
    }
  }
}

inline bool is_hopper() {
  int major = 0;
  int minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  return major == 9 && minor == 0;
}

// The kernels of an engine: the device's own (on a Hopper GPU its special ones), or the generic
// ones. Tests of engines and runs are instantiated for both.
enum class KernelPath : std::uint8_t { kOwn, kGeneric };

inline const auto kKernelPaths = testing::Values(KernelPath::kOwn, KernelPath::kGeneric);

inline std::string name_of_path(const testing::TestParamInfo<KernelPath>& info) {
  return info.param == KernelPath::kOwn ? "own" : "generic";
}

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>

namespace virnucpro {

// Type of the numbers of a matrix on a device.
enum class Element : std::uint8_t { kFp32, kFp16, kBf16 };

constexpr std::size_t size_of(Element element) {
  return element == Element::kFp32 ? 4 : 2;
}

// Row-major numbers on a device, seen but not owned.
struct DeviceMatrix {
  void* data = nullptr;
  std::size_t rows = 0;
  std::size_t width = 0;
  Element element = Element::kFp32;

  std::size_t bytes() const { return rows * width * size_of(element); }
};

}  // namespace virnucpro

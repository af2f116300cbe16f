#pragma once

#include <cstddef>
#include <cstdint>

namespace virnucpro {

// The element type of a matrix on a device.
enum class Element : std::uint8_t { kFp32, kFp16, kBf16, kInt8 };

constexpr std::size_t size_of(Element element) {
  switch (element) {
    case Element::kFp32:
      return 4;
    case Element::kFp16:
    case Element::kBf16:
      return 2;
    case Element::kInt8:
      return 1;
  }
  return 0;
}

// A view of a row-major matrix on a device.
struct DeviceMatrix {
  void* data = nullptr;
  std::size_t rows = 0;
  std::size_t width = 0;
  Element element = Element::kFp32;

  std::size_t bytes() const { return rows * width * size_of(element); }
};

}  // namespace virnucpro

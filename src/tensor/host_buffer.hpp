#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/checked.hpp"

namespace virnucpro {

// The purpose of an allocation, by which errors and telemetry report it.
enum class Purpose : std::uint8_t { kWeights, kActivations, kScratch, kStaging };
inline constexpr std::size_t kPurposes = 4;
std::string_view name_of(Purpose purpose);  // "weights"

// Bytes of live host buffers for one purpose: now, and the most so far.
struct MemoryUse {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
};
MemoryUse host_memory(Purpose purpose);

// Uninitialised host memory, aligned to 64 bytes (a cache line, the widest vector). For large
// buffers it asks for huge pages. Errors: kOutOfMemory, naming purpose and bytes.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(Purpose purpose, std::size_t bytes);
  ~HostBuffer() { reset(); }
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void reset() noexcept;

  Purpose purpose_ = Purpose::kScratch;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

[[noreturn]] void throw_too_large(Purpose purpose);

// Returns rows · columns. Errors: kOutOfMemory if this overflows, as sizes in a file may do.
inline std::size_t checked_elements(Purpose purpose, std::size_t rows, std::size_t columns) {
  const auto elements = checked_mul(rows, columns);
  if (!elements) throw_too_large(purpose);
  return *elements;
}

// `count` values of a plain type in a HostBuffer, uninitialised.
template <typename T>
class HostArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HostArray() = default;
  HostArray(Purpose purpose, std::size_t count)
      : buffer_(purpose, checked_elements(purpose, count, sizeof(T))) {}

  T* data() const { return static_cast<T*>(buffer_.data()); }
  std::size_t size() const { return buffer_.bytes() / sizeof(T); }
  std::span<T> span() const { return {data(), size()}; }

 private:
  HostBuffer buffer_;
};

}  // namespace virnucpro

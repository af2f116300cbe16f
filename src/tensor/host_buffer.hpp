#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/checked.hpp"

namespace virnucpro {

// The purpose of an allocation. Errors and telemetry report memory by purpose.
enum class Purpose : std::uint8_t { kWeights, kActivations, kScratch, kStaging };
inline constexpr std::size_t kPurposes = 4;
std::string_view name_of(Purpose purpose);  // "weights"

// The bytes in use for one purpose: now, and the largest number so far.
struct MemoryUse {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
};
MemoryUse host_memory(Purpose purpose);

// Uninitialised host memory, aligned to at least 64 bytes (a cache line or an AVX-512 vector).
// Buffers of 4 MiB and more use huge pages if the kernel allows them. Errors: kOutOfMemory.
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

// Returns rows · columns. Both sizes may come from a file. Errors: kOutOfMemory on overflow.
inline std::size_t checked_elements(Purpose purpose, std::size_t rows, std::size_t columns) {
  const auto elements = checked_mul(rows, columns);
  if (!elements) throw_too_large(purpose);
  return *elements;
}

// An uninitialised array of `count` values in a HostBuffer.
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

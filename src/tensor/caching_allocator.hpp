#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// An allocator's source of memory. `allocate` returns null if no memory is left.
struct MemorySource {
  std::function<void*(std::size_t bytes)> allocate;
  std::function<void(void* memory)> release;
};

// Keeps freed memory and reuses it, because cudaMalloc and cudaFree wait for the whole device.
// Counts the bytes in use for each purpose. Thread-safe.
class CachingAllocator {
 public:
  explicit CachingAllocator(MemorySource source) : source_(std::move(source)) {}
  ~CachingAllocator();  // the caller must have given all memory back
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  // Returns at least `bytes` bytes. Reuses a kept piece if at most an eighth of this piece stays
  // unused. If the source has no memory left, releases all kept pieces and asks the source again.
  // Errors: kOutOfMemory.
  void* allocate(Purpose purpose, std::size_t bytes);
  void give_back(void* memory) noexcept;
  // Returns all kept memory to the source.
  void trim() noexcept;

  MemoryUse use(Purpose purpose) const;
  MemoryUse use() const;        // for all purposes together
  std::uint64_t kept() const;   // bytes of the pieces that wait for reuse
  std::uint64_t asked() const;  // calls of the source's `allocate` so far

 private:
  struct Piece {
    std::size_t bytes = 0;
    Purpose purpose = Purpose::kScratch;
  };

  void* ask(std::size_t bytes);
  void trim_locked() noexcept;

  MemorySource source_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Piece> out_;    // pieces that the callers have
  std::multimap<std::size_t, void*> kept_;  // kept pieces by size
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t asked_ = 0;
  std::array<MemoryUse, kPurposes> uses_{};
  MemoryUse all_{};
};

}  // namespace virnucpro

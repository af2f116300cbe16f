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

// An allocator's source of memory. `allocate` returns null when there is no more.
struct MemorySource {
  std::function<void*(std::size_t bytes)> allocate;
  std::function<void(void* memory)> release;
};

// Keeps freed memory and reuses it. After a warm-up it calls the source no more, because cudaMalloc
// and cudaFree wait for the whole device. It counts every allocation by purpose. Thread-safe.
class CachingAllocator {
 public:
  explicit CachingAllocator(MemorySource source) : source_(std::move(source)) {}
  ~CachingAllocator();  // all memory must have been given back before
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  // Returns at least `bytes`. It reuses a kept piece if at most an eighth is wasted. If the source
  // has no more, it returns everything kept to the source and tries again. Errors: kOutOfMemory,
  // naming purpose and bytes.
  void* allocate(Purpose purpose, std::size_t bytes);
  void give_back(void* memory) noexcept;
  // Returns all kept memory to the source.
  void trim() noexcept;

  MemoryUse use(Purpose purpose) const;
  MemoryUse use() const;        // for all purposes together
  std::uint64_t kept() const;   // bytes given back and not in use
  std::uint64_t asked() const;  // calls of the source so far

 private:
  struct Piece {
    std::size_t bytes = 0;
    Purpose purpose = Purpose::kScratch;
  };

  void* ask(std::size_t bytes);
  void trim_locked() noexcept;

  MemorySource source_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Piece> out_;    // pieces in use
  std::multimap<std::size_t, void*> kept_;  // kept pieces by size
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t asked_ = 0;
  std::array<MemoryUse, kPurposes> uses_{};
  MemoryUse all_{};
};

}  // namespace virnucpro

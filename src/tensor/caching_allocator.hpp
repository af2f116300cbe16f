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

// Where an allocator's memory comes from. `allocate` gives null when there is no more.
struct MemorySource {
  std::function<void*(std::size_t bytes)> allocate;
  std::function<void(void* memory)> release;
};

// Keeps what is given back and hands it out again: after a warm-up the source is not asked any more
// (cudaMalloc and cudaFree wait for the whole device). Every allocation is counted by purpose. Safe
// to use from several threads.
class CachingAllocator {
 public:
  explicit CachingAllocator(MemorySource source) : source_(std::move(source)) {}
  ~CachingAllocator();  // everything must have been given back
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  // At least `bytes`. A kept piece serves when no more than an eighth of it is wasted. When the
  // source has no more, everything kept goes back to it and it is asked again. Errors:
  // kOutOfMemory, naming purpose and bytes.
  void* allocate(Purpose purpose, std::size_t bytes);
  void give_back(void* memory) noexcept;
  // Returns what is kept to the source.
  void trim() noexcept;

  MemoryUse use(Purpose purpose) const;
  std::uint64_t kept() const;   // bytes given back and not handed out again
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
  std::unordered_map<void*, Piece> out_;    // handed out
  std::multimap<std::size_t, void*> kept_;  // by size
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t asked_ = 0;
  std::array<MemoryUse, kPurposes> uses_{};
};

}  // namespace virnucpro

#include "tensor/caching_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

// Sizes are rounded up to multiples of kGranularity or kSmall, so that freed memory can be reused.
constexpr std::size_t kGranularity = std::size_t{2} << 20U;  // cudaMalloc maps multiples of 2 MiB
constexpr std::size_t kSmall = 512;

std::size_t rounded(Purpose purpose, std::size_t bytes) {
  const std::size_t unit = bytes < kGranularity ? kSmall : kGranularity;
  const auto padded = checked_add(bytes, unit - 1);
  if (!padded) throw_too_large(purpose);
  return std::max(*padded / unit, std::size_t{1}) * unit;
}

}  // namespace

CachingAllocator::~CachingAllocator() {
  trim();
}

void* CachingAllocator::allocate(Purpose purpose, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Piece piece{.bytes = rounded(purpose, bytes), .purpose = purpose};
  void* memory = nullptr;
  const auto kept = kept_.lower_bound(piece.bytes);
  if (kept != kept_.end() && kept->first - piece.bytes <= kept->first / 8) {
    piece.bytes = kept->first;
    memory = kept->second;
    kept_bytes_ -= piece.bytes;
    kept_.erase(kept);
  } else {
    memory = ask(piece.bytes);
  }
  if (memory == nullptr) {
    throw Error(ErrorKind::kOutOfMemory,
                fmt::format("could not allocate {} bytes of device memory for {}", piece.bytes,
                            name_of(purpose)));
  }
  out_.emplace(memory, piece);
  for (MemoryUse* use : {&uses_.at(static_cast<std::size_t>(purpose)), &all_}) {
    use->current += piece.bytes;
    use->peak = std::max(use->peak, use->current);
  }
  return memory;
}

void* CachingAllocator::ask(std::size_t bytes) {
  ++asked_;
  void* const memory = source_.allocate(bytes);
  if (memory != nullptr || kept_.empty()) return memory;
  trim_locked();
  ++asked_;
  return source_.allocate(bytes);
}

void CachingAllocator::give_back(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = out_.find(memory);
  if (found == out_.end()) return;
  const Piece piece = found->second;
  uses_.at(static_cast<std::size_t>(piece.purpose)).current -= piece.bytes;
  all_.current -= piece.bytes;
  out_.erase(found);
  kept_.emplace(piece.bytes, memory);
  kept_bytes_ += piece.bytes;
}

void CachingAllocator::trim() noexcept {
  const std::lock_guard lock(mutex_);
  trim_locked();
}

void CachingAllocator::trim_locked() noexcept {
  for (const auto& [bytes, memory] : kept_) source_.release(memory);
  kept_.clear();
  kept_bytes_ = 0;
}

MemoryUse CachingAllocator::use(Purpose purpose) const {
  const std::lock_guard lock(mutex_);
  return uses_.at(static_cast<std::size_t>(purpose));
}

MemoryUse CachingAllocator::use() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

std::uint64_t CachingAllocator::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

std::uint64_t CachingAllocator::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

}  // namespace virnucpro

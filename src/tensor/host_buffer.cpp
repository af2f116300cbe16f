#include "tensor/host_buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

struct Use {
  std::atomic<std::uint64_t> current{0};
  std::atomic<std::uint64_t> peak{0};
};

Use& use_of(Purpose purpose) {
  static std::array<Use, kPurposes> uses;
  return uses.at(static_cast<std::size_t>(purpose));
}

void count_allocation(Purpose purpose, std::size_t bytes) {
  Use& use = use_of(purpose);
  const std::uint64_t now = use.current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::uint64_t peak = use.peak.load(std::memory_order_relaxed);
  while (peak < now && !use.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

// Returns 2 MiB for buffers of 4 MiB and more, so that the kernel can use huge pages for them.
std::size_t alignment_of(std::size_t bytes) {
  return bytes >= 2 * kHugePage ? kHugePage : kCacheLine;
}

}  // namespace

std::string_view name_of(Purpose purpose) {
  constexpr std::array<std::string_view, kPurposes> kNames{"weights", "activations", "scratch",
                                                           "staging"};
  return kNames.at(static_cast<std::size_t>(purpose));
}

MemoryUse host_memory(Purpose purpose) {
  const Use& use = use_of(purpose);
  return {use.current.load(std::memory_order_relaxed), use.peak.load(std::memory_order_relaxed)};
}

HostBuffer::HostBuffer(Purpose purpose, std::size_t bytes) : purpose_(purpose), bytes_(bytes) {
  if (bytes == 0) return;
  const std::size_t alignment = alignment_of(bytes);
  data_ = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  if (data_ == nullptr) {
    throw Error(
        ErrorKind::kOutOfMemory,
        fmt::format("could not allocate {} bytes of host memory for {}", bytes, name_of(purpose)));
  }
  // A failure is ignored: without huge pages the buffer works, a little slower.
  if (alignment == kHugePage) ::madvise(data_, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  count_allocation(purpose, bytes);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : purpose_(other.purpose_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  purpose_ = other.purpose_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void HostBuffer::reset() noexcept {
  if (data_ == nullptr) return;
  ::operator delete (data_, std::align_val_t{alignment_of(bytes_)});
  use_of(purpose_).current.fetch_sub(bytes_, std::memory_order_relaxed);
  data_ = nullptr;
  bytes_ = 0;
}

void throw_too_large(Purpose purpose) {
  throw Error(ErrorKind::kOutOfMemory,
              fmt::format("{} would need more than 2^64 bytes of memory", name_of(purpose)));
}

}  // namespace virnucpro

#include "tensor/arena.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

Arena::Arena(void* base, std::size_t bytes) : base_(static_cast<std::byte*>(base)), bytes_(bytes) {}

void* Arena::allocate(std::size_t bytes) {
  const auto padded = checked_add(bytes, kAlignment - 1);
  const auto end = padded ? checked_add(used_, *padded / kAlignment * kAlignment) : std::nullopt;
  if (!end) throw_too_large(Purpose::kActivations);
  if (base_ != nullptr && *end > bytes_) {
    throw Error(ErrorKind::kInternal,
                fmt::format("a batch needs {} bytes for activations, but only {} were planned",
                            *end, bytes_));
  }
  void* const allocated = base_ == nullptr ? nullptr : base_ + used_;
  used_ = *end;
  most_ = std::max(most_, used_);
  return allocated;
}

DeviceMatrix Arena::matrix(std::size_t rows, std::size_t width, Element element) {
  const std::size_t numbers = checked_elements(Purpose::kActivations, rows, width);
  const std::size_t bytes = checked_elements(Purpose::kActivations, numbers, size_of(element));
  return {.data = allocate(bytes), .rows = rows, .width = width, .element = element};
}

}  // namespace virnucpro

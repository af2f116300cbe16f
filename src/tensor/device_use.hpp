#pragma once

#include <array>
#include <cstdint>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Memory of the GPU that the calling thread computes on, as this program holds it.
struct DeviceUse {
  std::array<MemoryUse, kPurposes> by_purpose{};
  std::uint64_t kept = 0;  // bytes that nothing uses now, kept for what comes next
};

// All 0 in a program without CUDA. Errors: kDevice.
DeviceUse device_use();

}  // namespace virnucpro

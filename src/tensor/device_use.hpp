#pragma once

#include <array>
#include <cstdint>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// This program's memory on the GPU that the calling thread uses.
struct DeviceUse {
  std::array<MemoryUse, kPurposes> by_purpose{};
  std::uint64_t kept = 0;  // bytes unused now, kept for later allocations
};

// All 0 in a program without CUDA. Errors: kDevice.
DeviceUse device_use();

}  // namespace virnucpro

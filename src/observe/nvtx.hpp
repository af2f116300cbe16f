#pragma once

#include <cstdint>

namespace virnucpro {

// Nested ranges of the calling thread in NVIDIA's profilers (Nsight), with the batch as payload.
// Without a profiler or without CUDA they do nothing.
void push_nvtx_range(const char* name, std::uint64_t batch) noexcept;
void pop_nvtx_range() noexcept;

}  // namespace virnucpro

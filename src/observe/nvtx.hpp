#pragma once

#include <cstdint>

namespace virnucpro {

// Ranges of the calling thread in NVIDIA's profilers (Nsight), which nest; a batch is their
// payload. Without one of them, or in a program that was built without CUDA, nothing happens.
void push_nvtx_range(const char* name, std::uint64_t batch) noexcept;
void pop_nvtx_range() noexcept;

}  // namespace virnucpro

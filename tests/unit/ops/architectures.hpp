#pragma once

#include <cstddef>

namespace virnucpro::cuda {

// NVIDIA's CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": shared
// memory in KB.
struct Architecture {
  const char* name;
  std::size_t multiprocessor;
  std::size_t block;
};

inline constexpr Architecture kArchitectures[] = {
    {"8.0 (A100, A30)", 164, 163},  {"8.6 (A10, A6000, RTX 30)", 100, 99},
    {"8.7 (Orin)", 164, 163},       {"8.9 (L4, L40S, RTX 40)", 100, 99},
    {"9.0 (H100, H200)", 228, 227}, {"10.0 (B200)", 228, 227},
    {"12.0 (RTX 50)", 100, 99},
};

}  // namespace virnucpro::cuda

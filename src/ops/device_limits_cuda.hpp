#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

// Properties of the calling thread's device that kernel launches depend on.
struct DeviceLimits {
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes = 0;  // of a multiprocessor
};

inline DeviceLimits device_limits() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };
  const auto bytes = [&](cudaDeviceAttr which) {
    return static_cast<std::size_t>(attribute(which));
  };
  return {.multiprocessors = attribute(cudaDevAttrMultiProcessorCount),
          .l2_bytes = bytes(cudaDevAttrL2CacheSize),
          .shared_bytes = bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor)};
}

}  // namespace virnucpro::cuda

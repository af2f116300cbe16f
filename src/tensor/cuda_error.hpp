#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "base/error.hpp"

namespace virnucpro {

// Returns kOutOfMemory for a failed allocation; kDeviceFailed for errors that make the CUDA context
// unusable (for example an illegal access or a hardware error); kDevice for all others.
ErrorKind kind_of(cudaError_t status);

// Throws an Error of kind_of(status) unless `status` is cudaSuccess. The message has `call` (the
// name of the CUDA function), CUDA's name and text of the error, and the source line of the caller.
// After a kernel launch, call check_cuda(cudaGetLastError(), "launch of NAME").
void check_cuda(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

}  // namespace virnucpro

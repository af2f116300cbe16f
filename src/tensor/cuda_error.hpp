#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "base/error.hpp"

namespace virnucpro {

// Returns kOutOfMemory for a failed allocation; kDeviceFailed for errors that make the process's
// CUDA context unusable (an illegal access, a hardware error); kDevice for all others.
ErrorKind kind_of(cudaError_t status);

// Throws an Error of kind_of(status) unless `status` is success. `call` names the CUDA function;
// the message adds CUDA's name and text of the error, and the call site. For kernel launches:
// check_cuda(cudaGetLastError(), "launch of NAME").
void check_cuda(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

}  // namespace virnucpro

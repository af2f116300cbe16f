#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "base/error.hpp"

namespace virnucpro {

// kOutOfMemory for a failed allocation; kDeviceFailed for what leaves the process's context
// unusable (an illegal access, a hardware error), after which every call fails; kDevice for the
// rest.
ErrorKind kind_of(cudaError_t status);

// Throws an Error of that kind for anything but success.
// `call` names what was asked of CUDA; the message adds CUDA's name and text and the call site.
// Kernel launches are checked as check_cuda(cudaGetLastError(), "launch of NAME").
void check_cuda(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

}  // namespace virnucpro

#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

#include "base/error.hpp"

namespace virnucpro {

// Throws for anything but success: kOutOfMemory for a failed allocation, kDevice for the rest.
// `call` names what was asked of CUDA; the message adds CUDA's name and text and the call site.
// Kernel launches are checked as check_cuda(cudaGetLastError(), "launch of NAME").
void check_cuda(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

}  // namespace virnucpro

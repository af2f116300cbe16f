#include "gpu/fault/break_context.hpp"

namespace virnucpro {
namespace {

__global__ void write_out_of_bounds(float* nowhere) {
  nowhere[threadIdx.x] = 1;
}

}  // namespace

void break_context() {
  write_out_of_bounds<<<1, 32>>>(reinterpret_cast<float*>(64));
  static_cast<void>(cudaDeviceSynchronize());
}

}  // namespace virnucpro

#include "ops/gemm_generic_cuda.cuh"

namespace virnucpro::cuda {

void gemm_generic_int8(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  if (epilogue == Epilogue::kBias) {
    return run_generic<std::int8_t, Epilogue::kBias>(call, stream);
  }
  if (epilogue == Epilogue::kBiasGelu) {
    return run_generic<std::int8_t, Epilogue::kBiasGelu>(call, stream);
  }
  return run_generic<std::int8_t, Epilogue::kBiasAdd16>(call, stream);
}

}  // namespace virnucpro::cuda

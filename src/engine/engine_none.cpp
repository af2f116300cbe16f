// The CUDA engine of a build without CUDA. A build with CUDA compiles engine_cuda.cpp instead.
#include "base/error.hpp"
#include "engine/engine.hpp"

namespace virnucpro {

std::unique_ptr<Engine> make_cuda_engine(const EngineModels& /*models*/,
                                         const EngineSettings& /*settings*/,
                                         const Int8Policy* /*searched*/, const Cancel& /*cancel*/) {
  throw Error(ErrorKind::kDevice, "this program was built without CUDA");
}

}  // namespace virnucpro

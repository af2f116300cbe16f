#include "models/esm2_graph.hpp"
#include "ops/backend_cuda.hpp"

namespace virnucpro {

template class Esm2Model<cuda::Backend>;

}  // namespace virnucpro

#include "models/dnabert_s_graph.hpp"
#include "ops/backend_cuda.hpp"

namespace virnucpro {

template class DnabertSModel<cuda::Backend>;

}  // namespace virnucpro

#include "models/classifier_graph.hpp"
#include "ops/backend_cuda.hpp"

namespace virnucpro {

template class ClassifierModel<cuda::Backend>;

}  // namespace virnucpro

#include "models/classifier_graph.hpp"
#include "models/dnabert_s_graph.hpp"
#include "models/esm2_graph.hpp"
#include "ops/backend_cuda.hpp"

namespace virnucpro {

template class ClassifierModel<cuda::Backend>;
template class DnabertSModel<cuda::Backend>;
template class Esm2Model<cuda::Backend>;

}  // namespace virnucpro

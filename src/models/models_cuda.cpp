#include "models/classifier_graph.hpp"
#include "models/dnabert_s_graph.hpp"
#include "models/esm2_graph.hpp"
#include "ops/backend_cuda.hpp"
#include "ops/backend_int8_cuda.hpp"

namespace virnucpro {

template class ClassifierModel<cuda::Backend>;
template class DnabertSModel<cuda::Backend>;
template class Esm2Model<cuda::Backend>;
template class Esm2Model<cuda::Int8Backend>;

}  // namespace virnucpro

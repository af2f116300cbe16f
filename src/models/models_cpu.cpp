#include "models/classifier_graph.hpp"
#include "models/dnabert_s_graph.hpp"
#include "models/esm2_graph.hpp"

namespace virnucpro {

template class ClassifierModel<CpuBackend>;
template class DnabertSModel<CpuBackend>;
template class Esm2Model<CpuBackend>;

}  // namespace virnucpro

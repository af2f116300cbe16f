#include "models/classifier_graph.hpp"

namespace virnucpro {

template class ClassifierModel<CpuBackend>;

}  // namespace virnucpro

#include "models/esm2_graph.hpp"

namespace virnucpro {

template class Esm2Model<CpuBackend>;

}  // namespace virnucpro

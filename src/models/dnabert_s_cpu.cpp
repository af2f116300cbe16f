#include "models/dnabert_s_graph.hpp"

namespace virnucpro {

template class DnabertSModel<CpuBackend>;

}  // namespace virnucpro

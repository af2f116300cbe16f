#pragma once

#include "ops/context.hpp"
#include "ops/panels.hpp"

namespace virnucpro {

// Computes out[i] = GELU(first half of in[i]) · second half (GEGLU: Shazeer 2020, arXiv:2002.05202)
// with the erf GELU, to an absolute error below 1e-6. in: [rows, 2·w], out: [rows, w].
void gated_gelu(OpContext& context, const Panels& in, Panels& out);

}  // namespace virnucpro

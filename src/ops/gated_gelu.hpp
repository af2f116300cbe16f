#pragma once

#include "ops/context.hpp"
#include "ops/panels.hpp"

namespace virnucpro {

// Computes out[i] = GELU(first half of in[i]) · second half of in[i] (GEGLU, arXiv:2002.05202).
// GELU's absolute error is below 1e-6 (erf form). `in` is [rows, 2·w], `out` [rows, w].
void gated_gelu(OpContext& context, const Panels& in, Panels& out);

}  // namespace virnucpro

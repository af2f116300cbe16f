#pragma once

#include "engine/engine.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Checks that all models for `outputs` exist, before any is loaded. Errors: kWeightsMissing, with
// each missing model, its size and a command to download it; kUsage for an unknown synthetic model.
void require_models(const ModelSettings& models, const EngineOutputs& outputs = {});

}  // namespace virnucpro

#pragma once

#include "engine/engine.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Checks that all models which `outputs` needs are there, before the first is loaded. Errors:
// kWeightsMissing, which names each missing model with its size and the command that gets them;
// kUsage for an unknown synthetic model.
void require_models(const ModelSettings& models, const EngineOutputs& outputs = {});

}  // namespace virnucpro

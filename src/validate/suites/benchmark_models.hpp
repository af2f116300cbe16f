#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/cancel.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// A model that is not there shows before anything is run. Errors: kWeightsMissing.
void require_models(const ModelSettings& models);

// Whether some weights are seeded random numbers.
bool some_synthetic(const ModelSettings& models);

// The models with files in place of encoders that are synthetic: written into `folder`, where they
// are not there already, which is said before. Random numbers take longer to make than to read:
// they are made once, for all runs. Errors: those of loading and writing weights.
ModelSettings with_files(ModelSettings models, const std::filesystem::path& folder,
                         const std::function<void(const std::string&)>& say, const Cancel& cancel);

}  // namespace virnucpro

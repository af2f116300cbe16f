#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/cancel.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// True if some weights are seeded random numbers.
bool some_synthetic(const ModelSettings& models);

// Returns the models, with files in `folder` in place of synthetic encoders. Writes missing files,
// and announces each model through `say`. Making random weights takes longer than reading them, so
// they are made once for all runs. Errors: those of loading and writing weights.
ModelSettings with_files(ModelSettings models, const std::filesystem::path& folder,
                         const std::function<void(const std::string&)>& say, const Cancel& cancel);

}  // namespace virnucpro

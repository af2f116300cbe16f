#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/cancel.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// True if some weights are seeded random numbers.
bool some_synthetic(const ModelSettings& models);

// Returns the models, with synthetic encoders replaced by files in `folder`. Missing files are
// written, and `say` announces it. Random numbers take longer to make than to read, so they are
// made once for all runs. Errors: those of loading and writing weights.
ModelSettings with_files(ModelSettings models, const std::filesystem::path& folder,
                         const std::function<void(const std::string&)>& say, const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>

#include "base/cancel.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// The models with files in place of encoders that are synthetic: written into `folder`, where they
// are not there already. Errors: those of loading and writing weights.
ModelSettings with_files(ModelSettings models, const std::filesystem::path& folder,
                         const Cancel& cancel);

}  // namespace virnucpro

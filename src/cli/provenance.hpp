#pragma once

#include "cli/command.hpp"
#include "run/settings.hpp"
#include "validate/measure/provenance.hpp"

namespace virnucpro {

// Of what this program is about to measure, from now on; the driver is not known yet.
Provenance provenance_here(const ComputeSettings& compute, const Session& session);

}  // namespace virnucpro

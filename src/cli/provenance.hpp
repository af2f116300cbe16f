#pragma once

#include "cli/command.hpp"
#include "run/settings.hpp"
#include "validate/measure/provenance.hpp"

namespace virnucpro {

// The provenance of measurements that start now; the driver is not known yet.
Provenance provenance_here(const ComputeSettings& compute, const Session& session);

}  // namespace virnucpro

#pragma once

#include "cli/command.hpp"
#include "report/provenance.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Returns the provenance of measurements that start now. The caller adds the driver of the GPUs.
Provenance provenance_here(const ComputeSettings& compute, const Session& session);

}  // namespace virnucpro

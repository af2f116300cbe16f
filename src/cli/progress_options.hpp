#pragma once

#include <optional>

#include "cli/command.hpp"
#include "run/settings.hpp"
#include "telemetry/progress.hpp"

namespace virnucpro {

// How a command displays its run's progress; empty: not at all (-q, --no-progress,
// progress.enabled). Errors: kConfig.
std::optional<ProgressSettings> choose_progress(bool no_progress, const ComputeSettings& compute,
                                                const Session& session);

}  // namespace virnucpro

#pragma once

#include <string>

#include "cli/command.hpp"
#include "telemetry/telemetry.hpp"

namespace virnucpro {

// What a run of predict measures and leaves in its directory: --telemetry and the configuration.
// Without an output directory nothing is. Errors: kUsage, kConfig.
TelemetrySettings choose_telemetry(const std::string& option, bool has_directory,
                                   const Session& session);

}  // namespace virnucpro

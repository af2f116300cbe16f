#pragma once

#include <string>

#include "cli/command.hpp"
#include "telemetry/telemetry.hpp"

namespace virnucpro {

// The measurements of a predict run, written to its directory: from --telemetry and the
// configuration. None without an output directory. Errors: kUsage, kConfig.
TelemetrySettings choose_telemetry(const std::string& option, bool has_directory,
                                   const Session& session);

}  // namespace virnucpro

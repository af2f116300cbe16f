#pragma once

#include <filesystem>
#include <memory>

#include "base/cancel.hpp"
#include "journal/kept_run.hpp"
#include "run/output_directory.hpp"

namespace virnucpro {

// The run in an output directory that a command goes on with, or replaces; null where there is
// none, or the command will refuse it, and say why. Of its journal only the head is known. Errors:
// KeptRun's.
std::unique_ptr<KeptRun> earlier_run(const std::filesystem::path& output, Existing existing,
                                     const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <memory>

#include "base/cancel.hpp"
#include "journal/kept_run.hpp"
#include "run/output_directory.hpp"

namespace virnucpro {

// Returns the run in an output directory that a command continues or replaces. Null if there is no
// such run, or if the command will report its fault later. Reads only the head of the run's
// journal. Errors: those of KeptRun.
std::unique_ptr<KeptRun> earlier_run(const std::filesystem::path& output, Existing existing,
                                     const Cancel& cancel);

}  // namespace virnucpro

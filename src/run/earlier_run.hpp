#pragma once

#include <filesystem>
#include <memory>

#include "base/cancel.hpp"
#include "journal/kept_run.hpp"
#include "run/output_directory.hpp"

namespace virnucpro {

// Returns the run that a command continues or replaces in the directory `output`. Null if there is
// no such run. Also null if the run is in use or its journal is damaged, because a later step of
// the command reports this. Reads only the journal's head. Errors: the other errors of KeptRun.
std::unique_ptr<KeptRun> earlier_run(const std::filesystem::path& output, Existing existing,
                                     const Cancel& cancel);

}  // namespace virnucpro

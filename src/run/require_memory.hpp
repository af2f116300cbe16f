#pragma once

#include <cstddef>
#include <filesystem>

#include "engine/engine.hpp"

namespace virnucpro {

// Checks that models which the CPU computes fit in the memory that this process's control group may
// use, a job's or a container's: else the kernel would kill the run after minutes of loading. Only
// what certainly does not fit is refused. Nothing is checked for a GPU, nor where there is no
// limit. `processes` of them have the models each, with these settings. `root` is where the file
// system begins. Errors: kOutOfMemory.
void require_memory(const EngineModels& models, const EngineSettings& settings,
                    std::size_t processes = 1, const std::filesystem::path& root = "/");

}  // namespace virnucpro

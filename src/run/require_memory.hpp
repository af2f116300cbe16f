#pragma once

#include <cstddef>
#include <filesystem>

#include "engine/engine.hpp"

namespace virnucpro {

// Refuses models on the CPU that certainly do not fit in the memory of this process's control group
// (of a job or container). Otherwise the kernel would kill the run after minutes of loading,
// without a message. Cached pages of files do not count. Nothing is checked for a GPU or without a
// limit. `processes` is the number of processes that load the models with these settings. `root` is
// the root of the file system. Errors: kOutOfMemory.
void require_memory(const EngineModels& models, const EngineSettings& settings,
                    std::size_t processes = 1, const std::filesystem::path& root = "/");

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <initializer_list>

namespace virnucpro {

// The path in an environment variable; empty where it is not set.
std::filesystem::path environment_path(const char* variable);
// The path `below` the folder that an environment variable names; empty where it is not set.
std::filesystem::path environment_path(const char* variable, const char* below);

// The folder for files that this program keeps for a user: VIRNUCPRO_CACHE, or virnucpro in
// XDG_CACHE_HOME or ~/.cache. Empty where no variable names a place, not even HOME.
std::filesystem::path own_cache();

// Returns the first path that is not empty; empty if all are.
std::filesystem::path first_set(std::initializer_list<std::filesystem::path> paths);

}  // namespace virnucpro

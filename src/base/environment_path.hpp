#pragma once

#include <filesystem>
#include <initializer_list>

namespace virnucpro {

// Returns the path in an environment variable; empty if it is not set.
std::filesystem::path environment_path(const char* variable);
// Returns the path `below` the folder that an environment variable names; empty if it is not set.
std::filesystem::path environment_path(const char* variable, const char* below);

// Returns the folder for files that this program keeps for a user: VIRNUCPRO_CACHE, or virnucpro in
// XDG_CACHE_HOME or ~/.cache. Empty if not even HOME is set.
std::filesystem::path own_cache();

// Returns the first path that is not empty; empty if there is none.
std::filesystem::path first_set(std::initializer_list<std::filesystem::path> paths);

}  // namespace virnucpro

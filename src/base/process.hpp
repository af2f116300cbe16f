#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace virnucpro {

// Tells how to start this program again, and where its installed files are. In a package with its
// own C library (program/launcher/main.cpp) /proc/self/exe may be the package's loader, which
// cannot be started alone.
struct OwnProgram {
  std::filesystem::path file;    // start this with the same arguments as this process
  std::filesystem::path prefix;  // the folder of bin/ and share/
  bool by_carried_loader = false;
};

// Describes this process's program. Without /proc its prefix is empty.
OwnProgram own_program();
// Returns the file to start for another process of the same version. An update may have replaced
// own_program().file during a long run.
std::filesystem::path same_program();

// Like own_program(), for a process whose file is `file`.
OwnProgram program_of(const std::filesystem::path& file);

// The arguments and environment of a new program, for execve and posix_spawn.

// Returns the texts as C strings, then a null pointer; `texts` must outlive the result.
std::vector<char*> argument_pointers(std::vector<std::string>& texts);

// Returns this process's environment with these variables set.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

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

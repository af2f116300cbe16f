#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace virnucpro {

// Where this program's files are: the file that starts the program again, and the folder of its
// installed files. Do not use /proc/self/exe: in a package with its own C library
// (program/launcher/main.cpp) it may be the loader, which cannot start the program alone.
struct OwnProgram {
  std::filesystem::path file;    // starts the program, with the usual arguments
  std::filesystem::path prefix;  // the folder of bin/ and share/
  bool by_carried_loader = false;
};

// Returns where this process's program is. Without /proc, `prefix` is empty.
OwnProgram own_program();
// Returns the file that starts another process of exactly this version. own_program().file may be
// of another version if an update replaced it during a long run.
std::filesystem::path same_program();

// Like own_program(), for a process whose executable is `file`.
OwnProgram program_of(const std::filesystem::path& file);

// The next two functions make the arguments and environment for execve and posix_spawn.

// Returns pointers to the texts, then a null pointer. `texts` must outlive the result.
std::vector<char*> argument_pointers(std::vector<std::string>& texts);

// Returns this process's environment with new values for these variables.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

// Returns the value of an environment variable as a path; empty if the variable is not set.
std::filesystem::path environment_path(const char* variable);
// Returns the path `below` in the folder that the variable names; empty if the variable is not set.
std::filesystem::path environment_path(const char* variable, const char* below);

// Returns the folder for files that this program keeps for a user: VIRNUCPRO_CACHE, else virnucpro
// in XDG_CACHE_HOME, else ~/.cache/virnucpro. Empty if not even HOME is set.
std::filesystem::path own_cache();
inline constexpr const char* kNoOwnCache =
    "none of VIRNUCPRO_CACHE, XDG_CACHE_HOME and HOME is set";

// Returns the first path that is not empty; empty if there is none.
std::filesystem::path first_set(std::initializer_list<std::filesystem::path> paths);

}  // namespace virnucpro

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace virnucpro {

// The arguments and environment of a new program, for execve and posix_spawn.

// Returns the texts as C strings, then a null pointer; `texts` must outlive the result.
std::vector<char*> argument_pointers(std::vector<std::string>& texts);

// Returns this process's environment with these variables set.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace virnucpro

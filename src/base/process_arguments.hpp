#pragma once

#include <string>
#include <utility>
#include <vector>

namespace virnucpro {

// The arguments and environment of a new program, as execve and posix_spawn take them.

// Texts as C strings; `texts` must outlive the result.
std::vector<char*> argument_pointers(std::vector<std::string>& texts);

// This process's environment with these variables set.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace virnucpro

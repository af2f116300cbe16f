#pragma once

#include <string>
#include <utility>
#include <vector>

namespace virnucpro {

// What a new program is started with, as execve and posix_spawn take it.

// Texts as a C program takes them; they must outlive the result.
std::vector<char*> argument_pointers(std::vector<std::string>& texts);

// This process's environment, with these variables in place of its own.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace virnucpro

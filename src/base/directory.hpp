#pragma once

#include <filesystem>

namespace virnucpro {

// Makes a folder and those above it; one that is there is left as it is. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

}  // namespace virnucpro

#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// Files in a directory that may be a stranger's: a link could lead to a file of the user's, and
// opening a named pipe or a device could wait for ever.

// What lies under a path if it is no regular file: "a symbolic link", "a named pipe" and so on.
// Empty for a regular file, and where there is nothing.
std::string_view other_kind_of(const std::filesystem::path& path);

// Opens a regular file, and nothing else. `flags` are those of open(2). Empty, with errno, where
// that fails: ELOOP for a link, EINVAL for what else is no regular file.
UniqueFd open_regular_file(const std::filesystem::path& path, int flags);

// Why anybody else than `user`, root and its group may have made what lies in a folder, or in a
// file. Empty: nobody else can. Where everybody may write, a folder's sticky bit keeps others from
// replacing what is the user's; who made a file in it is then the file's own owner.
std::string why_distrusted(const struct stat& status, uid_t user);

}  // namespace virnucpro

#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// These open files in a directory where strangers may write. A link there could lead to a user's
// file, and opening a named pipe or a device could wait for ever.

// Names the kind of an entry that is not a regular file: "a symbolic link", "a named pipe" and so
// on. Empty for a regular file and for a missing one.
std::string_view other_kind_of(const std::filesystem::path& path);

// Opens a file only if it is regular. `flags` are those of open(2). On failure the result is empty
// and errno is set: ELOOP for a link, EINVAL for another kind of entry.
UniqueFd open_regular_file(const std::filesystem::path& path, int flags);

// Says why somebody other than `user`, root and the group may have made the contents of a folder or
// file; empty if nobody could. In a folder where everybody may write, the sticky bit protects the
// user's entries; each entry's owner then says who made it.
std::string why_distrusted(const struct stat& status, uid_t user);

}  // namespace virnucpro

#pragma once

#include <filesystem>

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

}  // namespace virnucpro

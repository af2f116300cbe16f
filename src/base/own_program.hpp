#pragma once

#include <filesystem>

namespace virnucpro {

// How this program is started again, and where the files that came with it are. In a package that
// carries a C library (src/cli/launcher/main.cpp) the file of the process may be the carried
// loader, which nobody can start alone; everywhere else it is the program.
struct OwnProgram {
  std::filesystem::path file;    // started with the same arguments it does what this process does
  std::filesystem::path prefix;  // bin/ and share/ are below it
  bool by_carried_loader = false;
};

// Without /proc it has no prefix.
OwnProgram own_program();
// The file to start for another process of this very program: an update may have replaced
// own_program().file during a long run.
std::filesystem::path same_program();

// The same for a process of this file.
OwnProgram program_of(const std::filesystem::path& file);

}  // namespace virnucpro

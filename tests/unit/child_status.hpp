#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "unit/temp_dir.hpp"

namespace virnucpro {

// Returns /proc's status of this process's only child.
inline std::string status_of_child() {
  std::string id;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (id.empty()) std::ifstream(thread.path() / "children") >> id;
  }
  return read_text("/proc/" + id + "/status");
}

}  // namespace virnucpro

#include "base/environment_path.hpp"

#include <cstdlib>

namespace virnucpro {

std::filesystem::path environment_path(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::filesystem::path environment_path(const char* variable, const char* below) {
  const std::filesystem::path folder = environment_path(variable);
  return folder.empty() ? folder : folder / below;
}

std::filesystem::path own_cache() {
  return first_set({environment_path("VIRNUCPRO_CACHE"),
                    environment_path("XDG_CACHE_HOME", "virnucpro"),
                    environment_path("HOME", ".cache/virnucpro")});
}

std::filesystem::path first_set(std::initializer_list<std::filesystem::path> paths) {
  for (const std::filesystem::path& path : paths) {
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace virnucpro

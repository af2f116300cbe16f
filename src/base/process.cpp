#include "base/process.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace virnucpro {
namespace {

constexpr const char* kThisProcess = "/proc/self/exe";
// Paths of files in a package, relative to its prefix.
constexpr const char* kLauncher = "bin/virnucpro";
constexpr const char* kProgram = "libexec/virnucpro";
constexpr const char* kCarriedLoader = "lib/virnucpro/glibc/ld-linux-x86-64.so.2";

// Removes the path `below` from the end of `file`; empty if `file` does not end with it.
std::filesystem::path prefix_of(std::filesystem::path file, std::filesystem::path below) {
  while (!below.empty()) {
    if (file.filename() != below.filename()) return {};
    file = file.parent_path();
    below = below.parent_path();
  }
  return file;
}

}  // namespace

OwnProgram program_of(const std::filesystem::path& file) {
  for (const char* started : {kProgram, kCarriedLoader}) {
    const std::filesystem::path prefix = prefix_of(file, started);
    if (!prefix.empty()) return {prefix / kLauncher, prefix, started == kCarriedLoader};
  }
  return {.file = file, .prefix = file.parent_path().parent_path()};
}

OwnProgram own_program() {
  std::error_code error;
  const auto file = std::filesystem::read_symlink(kThisProcess, error);
  return error ? OwnProgram{.file = kThisProcess, .prefix = {}} : program_of(file);
}

std::filesystem::path same_program() {
  const OwnProgram program = own_program();
  return program.by_carried_loader ? program.file : kThisProcess;
}

std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool is_replaced = std::ranges::any_of(variables, [text](const auto& own) {
      return text.starts_with(own.first) && text.substr(own.first.size()).starts_with('=');
    });
    if (!is_replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

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

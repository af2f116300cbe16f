#include "base/own_program.hpp"

#include <system_error>

namespace virnucpro {
namespace {

constexpr const char* kThisProcess = "/proc/self/exe";
// Paths of files in a package, relative to its prefix.
constexpr const char* kLauncher = "bin/virnucpro";
constexpr const char* kProgram = "libexec/virnucpro";
constexpr const char* kCarriedLoader = "lib/virnucpro/glibc/ld-linux-x86-64.so.2";

// Returns `file` without the path `below` at its end; empty if it does not end with that path.
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

}  // namespace virnucpro

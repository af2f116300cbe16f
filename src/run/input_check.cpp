#include "run/input_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

std::optional<Error> opening_error(const std::string& path) {
  if (path == "-") return std::nullopt;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    return Error(ErrorKind::kInputMissing, Place{.file = path}, errno_text(errno));
  }
  if (!S_ISDIR(status.st_mode)) return std::nullopt;
  return Error(ErrorKind::kInputRead, Place{.file = path}, errno_text(EISDIR));
}

}  // namespace

void require_an_input(const InputSettings& settings, const Cancel& cancel) {
  const InputSet inputs(settings, cancel);  // says what is wrong with the list itself
  const std::size_t files = settings.paired ? 2 : 1;
  std::optional<Error> first;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    std::optional<Error> error;
    for (std::size_t file = 0; file < files && !error; ++file) {
      error = opening_error(settings.paths[input * files + file]);
    }
    if (!error) return;
    if (!first) first = error;
  }
  if (first) throw Error(*first);
}

void require_inputs_kept(const InputSettings& settings,
                         const std::function<bool(const std::filesystem::path&)>& lost) {
  std::vector<std::string> files = settings.paths;
  if (!settings.reference.empty()) files.push_back(settings.reference);
  for (const std::string& file : files) {
    if (file != "-" && lost(file)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} is an input, and would be lost to the output", file));
    }
  }
}

}  // namespace virnucpro

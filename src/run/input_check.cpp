#include "run/input_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

std::optional<Error> opening_error(const std::string& path) {
  if (path == "-") return std::nullopt;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    return Error(ErrorKind::kInputMissing, Place{.file = display_name(path)}, errno_text(errno));
  }
  if (!S_ISDIR(status.st_mode)) return std::nullopt;
  return Error(ErrorKind::kInputRead, Place{.file = display_name(path)}, errno_text(EISDIR));
}

// Whether it can be read twice, or not at all.
bool is_plain_or_absent(const std::string& path) {
  if (path == "-") return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
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

void require_first_records(const InputSettings& settings, const Cancel& cancel) {
  const std::size_t files = settings.paired ? 2 : 1;
  for (auto first = settings.paths.begin(); first != settings.paths.end();) {
    const auto last = first + static_cast<std::ptrdiff_t>(files);
    if (std::all_of(first, last, is_plain_or_absent)) {
      InputSettings one = settings;
      one.paths.assign(first, last);
      const std::optional<InputEvent> event = InputSet(std::move(one), cancel).next();
      if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    }
    first = last;
  }
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

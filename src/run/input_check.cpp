#include "run/input_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "sequence/open_input.hpp"

namespace virnucpro {
namespace {

std::optional<Error> opening_error(const std::string& path) {
  if (path == "-") return std::nullopt;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    return Error(kind_of_reading(errno), Place{.file = display_name(path)}, errno_text(errno));
  }
  if (!S_ISDIR(status.st_mode)) return std::nullopt;
  return Error(ErrorKind::kInputRead, Place{.file = display_name(path)}, errno_text(EISDIR));
}

// True unless the path is a pipe; also for a missing file, because every read of it fails.
bool may_be_read_twice(const std::string& path) {
  if (path == "-") return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

// Returns the files of each input; a pair has two. Errors: kUsage for an impossible list.
std::vector<std::span<const std::string>> files_of_inputs(const InputSettings& settings,
                                                          const Cancel& cancel) {
  const InputSet inputs(settings, cancel);  // throws if the list is bad
  const std::size_t each = settings.paired ? 2 : 1;
  std::vector<std::span<const std::string>> files;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    files.push_back(std::span(settings.paths).subspan(input * each, each));
  }
  return files;
}

// Returns the first event of every input except pipes.
std::vector<InputEvent> first_events(const InputSettings& settings, const Cancel& cancel) {
  std::vector<InputEvent> events;
  for (const auto& files : files_of_inputs(settings, cancel)) {
    if (!std::all_of(files.begin(), files.end(), may_be_read_twice)) continue;
    InputSettings one = settings;
    one.paths.assign(files.begin(), files.end());
    events.push_back(*InputSet(std::move(one), cancel).next());
  }
  return events;
}

// Throws if `lost` returns true for an input or the reference.
template <typename Lost>
void require_kept(const InputSettings& settings, const Lost& lost) {
  std::vector<std::string> files = settings.paths;
  if (!settings.reference.empty()) files.push_back(settings.reference);
  for (const std::string& file : files) {
    if (!lost(file == "-" ? kStandardInputFile : file)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is an input, and the output would replace it: name another output",
                            display_name(file)));
  }
}

}  // namespace

bool has_pipe(const InputSettings& settings) {
  return !std::all_of(settings.paths.begin(), settings.paths.end(), may_be_read_twice);
}

void require_an_input(const InputSettings& settings, const Cancel& cancel) {
  std::optional<Error> first;
  for (const auto& files : files_of_inputs(settings, cancel)) {
    std::optional<Error> error;
    for (const std::string& file : files) {
      if (!error) error = opening_error(file);
    }
    if (!error) return;
    if (!first) first = error;
  }
  if (first) throw Error(*first);
}

void require_first_records(const InputSettings& settings, const Cancel& cancel) {
  for (const InputEvent& event : first_events(settings, cancel)) {
    if (const auto* failure = std::get_if<InputFailure>(&event)) throw Error(failure->error);
  }
}

void require_first_qualities(const InputSettings& settings, const Cancel& cancel) {
  first_events(settings, cancel);
}

void require_a_first_record(const InputSettings& settings, const Cancel& cancel) {
  if (has_pipe(settings)) return;
  const std::vector<InputEvent> events = first_events(settings, cancel);
  const auto has_failed = [](const auto& event) {
    return std::holds_alternative<InputFailure>(event);
  };
  if (events.empty() || !std::ranges::all_of(events, has_failed)) return;
  throw Error(std::get<InputFailure>(events.front()).error);
}

void require_inputs_kept(const InputSettings& settings, const OutputDirectory& directory) {
  require_kept(settings, [&directory](const auto& file) { return directory.would_clear(file); });
}

void require_inputs_kept(const InputSettings& settings,
                         const std::vector<std::filesystem::path>& outputs) {
  require_kept(settings, [&outputs](const std::filesystem::path& input) {
    return std::ranges::any_of(outputs, [&input](const std::filesystem::path& output) {
      std::error_code other;  // set if a file does not exist
      return std::filesystem::equivalent(input, output, other) ||
             std::filesystem::equivalent(input, AtomicFile::partial_name(output), other);
    });
  });
}

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// A file that a command is told to write may replace nothing unless `force`, and then only a
// regular file. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

// A file that a run keeps beside its output, as `flag` tells it to.
struct OwnFile {
  std::string_view flag;
  const std::string& path;
  std::string_view start;  // what such a file begins with
  std::string_view what;   // it holds, for messages
};

// It replaces one of an earlier run, but no other file (an input, for one), and is none of the
// output directory, which has files of the run's own; empty: there is none. Error: kUsage.
void check_own_file(const OwnFile& own, const std::filesystem::path& output);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// Checks a file that a command is to write. It may replace an existing one only with `force`, and
// only a regular file. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

// A file that a run writes outside its output directory, at the request of `flag`.
struct OwnFile {
  std::string_view flag;
  const std::string& path;
  std::string_view start;  // the first bytes of such a file
  std::string_view what;   // its contents, for messages
};

// Nothing else may lie among a run's own files. `output`: its directory; empty: none. Error:
// kUsage.
void require_elsewhere(std::string_view flag, const std::string& path,
                       const std::filesystem::path& output);

// It may replace one of an earlier run, but no other file (such as an input), and no file that the
// run itself writes to its output directory. An empty path is no file. Error: kUsage.
void check_own_file(const OwnFile& own, const std::filesystem::path& output);

// The file name in errors of write_stdout().
inline constexpr std::string_view kStandardOutput = "standard output";

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also when a pipe's reader has
// ended (SIGPIPE is ignored).
void write_stdout(std::string_view text);
// The same for text that people read, through printable_lines(): what it repeats from a file cannot
// act on their terminal. Tables and JSON are written as they are.
void print_stdout(std::string_view text);

}  // namespace virnucpro

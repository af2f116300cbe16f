#include "cli/trace_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "telemetry/trace_json.hpp"

namespace virnucpro {
namespace {

constexpr const char* kDefaultLimit = "10s";
constexpr std::uint64_t kMostBatches = 1'000'000;
constexpr double kShortest = 0.1;  // seconds
constexpr double kLongest = 3600;

// "10s" or "200".
TraceLimit parse_limit(std::string_view text) {
  if (text.ends_with('s')) {
    const auto seconds = parse_number(text.substr(0, text.size() - 1));
    if (seconds && *seconds >= kShortest && *seconds <= kLongest) return {.seconds = *seconds};
  } else {
    const auto batches = parse_count(text);
    if (batches && *batches > 0 && *batches <= kMostBatches) return {.batches = *batches};
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--trace-limit {}: expected seconds from {:g}s to {:g}s, or batches from "
                          "1 to {}",
                          text, kShortest, kLongest, kMostBatches));
}

// Reports a wrong path of the user before hours of computing, not in the trace. The loader searches
// for a name without a folder.
std::string choose_cupti(const Environment& environment) {
  constexpr std::string_view kVariable = "VIRNUCPRO_CUPTI";
  const std::string path = environment.text(kVariable);
  std::error_code ignored;
  const bool is_path = path.find('/') != std::string::npos;
  if (!is_path || std::filesystem::is_regular_file(path, ignored)) return path;
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected a library", kVariable, path));
}

}  // namespace

void add_trace_options(Command& command, TraceOptions& options, const std::string& group) {
  command.add_value("--trace", options.file,
                    "Keep a timeline of threads and GPU kernels in this file, for ui.perfetto.dev",
                    "FILE", group);
  command.add_value(
      "--trace-limit", options.limit,
      "So many seconds (30s) or batches (200) of it, from the first batch on (default 10s)",
      "LIMIT", group);
}

std::optional<TraceSettings> choose_trace(const TraceOptions& options,
                                          const Environment& environment,
                                          const std::filesystem::path& output) {
  if (options.file.empty() && !options.limit.empty()) {
    throw Error(ErrorKind::kUsage, "--trace-limit: there is no --trace that it could limit");
  }
  if (options.file.empty()) return std::nullopt;
  check_own_file(
      {.flag = "--trace", .path = options.file, .start = kTraceFileStart, .what = "trace"}, output);
  return TraceSettings{
      .limit = parse_limit(options.limit.empty() ? kDefaultLimit : options.limit.c_str()),
      .cupti = choose_cupti(environment)};
}

}  // namespace virnucpro

#include "measure/suites/vanilla.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "measure/compare/compare_outputs.hpp"

namespace virnucpro {

Trial run_vanilla(SuiteContext& context, const std::filesystem::path& input) {
  Trial run{.directory = context.trials.place("vanilla")};
  std::error_code absent;
  std::filesystem::remove_all(run.directory, absent);  // results of an earlier benchmark
  make_directory(run.directory);
  run.end = context.trials.run_well(
      {.program = "/bin/sh",
       .arguments = {"-c", context.settings.vanilla_command},
       .log = run.directory.string() + ".log",
       .variables = {{"INPUT", input.string()},
                     {"OUTPUT", run.directory.string()},
                     {"CHUNK_SIZE", std::to_string(context.settings.chunk_size)}}});
  return run;
}

void require_results(const std::filesystem::path& vanilla, const std::filesystem::path& own,
                     const Cancel& cancel) {
  const Comparison comparison = compare({.a = own, .b = vanilla}, cancel);
  for (const std::string_view table : kOriginalTables) {
    const auto found = std::ranges::find(comparison.datasets, table, &DatasetComparison::name);
    if (found == comparison.datasets.end() || found->only_a() + found->only_b() > 0) {
      throw Error(ErrorKind::kBenchmark, fmt::format("the original's table {} is missing, or has "
                                                     "other rows than this program's table",
                                                     table));
    }
  }
}

}  // namespace virnucpro

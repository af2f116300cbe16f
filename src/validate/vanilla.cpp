#include "validate/vanilla.hpp"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/directory.hpp"
#include "base/error.hpp"

namespace virnucpro {

VanillaRun run_vanilla(SuiteContext& context, const std::vector<std::filesystem::path>& inputs) {
  if (inputs.size() != 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the original takes one file, and there are {}", inputs.size()));
  }
  VanillaRun run{.directory = context.trials.place("vanilla")};
  std::error_code absent;
  std::filesystem::remove_all(run.directory, absent);  // an earlier benchmark's
  make_directory(run.directory);
  run.end = context.trials.run_well(
      {.program = "/bin/sh",
       .arguments = {"-c", context.settings.vanilla_command},
       .log = run.directory.string() + ".log",
       .variables = {{"INPUT", inputs.front().string()},
                     {"OUTPUT", run.directory.string()},
                     {"CHUNK_SIZE", std::to_string(context.settings.chunk_size)}}});
  return run;
}

}  // namespace virnucpro

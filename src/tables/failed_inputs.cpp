#include "tables/failed_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

std::string row(const InputEntry& input) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", printable(input.name), input.error,
                     input.record == 0 ? "NA" : std::to_string(input.record), input.offset,
                     printable(input.message));
}

}  // namespace

void write_failed_inputs(const std::vector<InputEntry>& inputs,
                         const std::filesystem::path& directory) {
  const std::filesystem::path path = run_files::kFailedInputs.in(directory);
  const auto failed = [](const InputEntry& input) { return input.failed; };
  if (std::none_of(inputs.begin(), inputs.end(), failed)) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) throw Error(ErrorKind::kOutputWrite, Place{.file = path.string()}, error.message());
    return;
  }
  AtomicFile file(path);
  file.write("name\terror\trecord\toffset\tmessage\n");
  for (const InputEntry& input : inputs) {
    if (failed(input)) file.write(row(input));
  }
  file.commit();
}

}  // namespace virnucpro

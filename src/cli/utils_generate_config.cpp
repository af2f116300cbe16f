#include <unistd.h>

#include <memory>
#include <string>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace virnucpro {
namespace {

bool is_on_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

struct GenerateConfigOptions {
  std::string output = is_on_terminal() ? "virnucpro_config.yaml" : "-";
  bool force = false;
};

int run_generate_config(const GenerateConfigOptions& options) {
  if (options.output == "-") {
    write_stdout(default_config());
    return kExitDone;
  }
  check_output_file(options.output, options.force);
  AtomicFile file(options.output);
  file.write(default_config());
  file.commit();
  if (is_on_terminal()) {
    print_stdout(printable(options.output) + " has every key and its default; -c FILE uses it\n");
  }
  return kExitDone;
}

}  // namespace

void add_generate_config_command(Command& utils) {
  Command& command = utils.add_command("generate-config", "Write a configuration with every key");
  const auto options = std::make_shared<GenerateConfigOptions>();
  command
      .add_value(
          "-o,--output", options->output,
          "The file to write, or - for stdout (default: virnucpro_config.yaml on a terminal, "
          "else -)",
          "FILE")
      .written = {""};
  command.add_flag("-f,--force", options->force, "Replace the file");
  command.footer = "Example:\n  virnucpro utils generate-config -o my_config.yaml";
  command.action = [options](Session& /*session*/) { return run_generate_config(*options); };
}

}  // namespace virnucpro

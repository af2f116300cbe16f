#include <memory>
#include <string>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace virnucpro {
namespace {

struct GenerateConfigOptions {
  std::string output = "-";
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
  return kExitDone;
}

}  // namespace

void add_generate_config_command(Command& utils) {
  Command& command = utils.add_command("generate-config", "Write a configuration with every key");
  const auto options = std::make_shared<GenerateConfigOptions>();
  command.add_value("-o,--output", options->output, "The file to write (default: stdout)", "FILE")
      .written = {""};
  command.add_flag("-f,--force", options->force, "Replace the file");
  command.footer = "Example:\n  virnucpro utils generate-config -o virnucpro.yaml";
  command.action = [options](Session& /*session*/) { return run_generate_config(*options); };
}

}  // namespace virnucpro

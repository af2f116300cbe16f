#include "cli/devices.hpp"
#include "cli/standard_output.hpp"
#include "cli/utils.hpp"

namespace virnucpro {
namespace {

int run_list_devices() {
  write_stdout(describe_devices());
  return kExitDone;
}

}  // namespace

void add_list_devices_command(CLI::App& utils, Action& action) {
  CLI::App* command = utils.add_subcommand("list-devices", "What this machine can compute on");
  command->footer("Example:\n  virnucpro utils list-devices");
  command->callback(
      [&action] { action = [](Session& /*session*/) { return run_list_devices(); }; });
}

}  // namespace virnucpro

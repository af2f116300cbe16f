#include "cli/command.hpp"
#include "cli/devices.hpp"
#include "cli/output.hpp"

namespace virnucpro {

void add_list_devices_command(Command& utils) {
  Command& command =
      utils.add_command("list-devices", "List the devices that this machine can compute on");
  command.footer = "Example:\n  virnucpro utils list-devices";
  command.action = [](Session& /*session*/) {
    print_stdout(describe_devices());
    return kExitDone;
  };
}

}  // namespace virnucpro

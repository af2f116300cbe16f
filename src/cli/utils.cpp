#include "cli/command.hpp"

namespace virnucpro {

void add_utils_commands(Command& program) {
  Command& utils = program.add_command("utils", "Devices, inputs, models, journals, configuration");
  add_validate_command(utils);
  add_inspect_command(utils);
  add_list_devices_command(utils);
  add_generate_config_command(utils);
  add_validate_checkpoints_command(utils);
  add_export_weights_command(utils);
  utils.footer = "Example:\n  virnucpro utils validate reads.fq.gz";
}

}  // namespace virnucpro

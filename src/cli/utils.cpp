#include "cli/utils.hpp"

namespace virnucpro {

void add_utils_commands(CLI::App& app, Action& action) {
  CLI::App* utils = app.add_subcommand("utils", "Devices, inputs, models, journals, configuration");
  utils->require_subcommand(1);
  add_validate_command(*utils, action);
  add_inspect_command(*utils, action);
  add_list_devices_command(*utils, action);
  add_generate_config_command(*utils, action);
  add_validate_checkpoints_command(*utils, action);
  add_export_weights_command(*utils, action);
  utils->footer("Example:\n  virnucpro utils validate reads.fq.gz");
}

}  // namespace virnucpro

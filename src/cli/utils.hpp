#pragma once

#include "cli/command.hpp"

namespace virnucpro {

// The commands under `utils`.
void add_validate_command(Command& utils);
void add_inspect_command(Command& utils);
void add_list_devices_command(Command& utils);
void add_generate_config_command(Command& utils);
void add_validate_checkpoints_command(Command& utils);
void add_export_weights_command(Command& utils);

}  // namespace virnucpro

#pragma once

#include "cli/command.hpp"

namespace virnucpro {

// The commands under `utils`.
void add_validate_command(CLI::App& utils, Action& action);
void add_inspect_command(CLI::App& utils, Action& action);
void add_list_devices_command(CLI::App& utils, Action& action);
void add_generate_config_command(CLI::App& utils, Action& action);
void add_validate_checkpoints_command(CLI::App& utils, Action& action);
void add_export_weights_command(CLI::App& utils, Action& action);

}  // namespace virnucpro

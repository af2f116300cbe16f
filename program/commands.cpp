#include "program/commands.hpp"

#include <array>

#include "cli/command.hpp"
#include "measure/commands/commands.hpp"

namespace virnucpro {

std::span<const AddCommand> all_commands() {
  static constexpr std::array<AddCommand, 15> commands{
      add_predict_command,   add_export_command,   add_merge_command,   add_label_reads_command,
      add_report_command,    add_evaluate_command, add_compare_command, add_embed_command,
      add_benchmark_command, add_profile_command,  add_tune_command,    add_calibrate_command,
      add_generate_command,  add_download_command, add_utils_commands};
  return commands;
}

}  // namespace virnucpro

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/parse_command_line.hpp"
#include "cli/standard_output.hpp"

namespace virnucpro {
namespace {

int run_help(const Command& program, const std::vector<std::string>& names) {
  const Command* command = &program;
  for (const std::string& name : names) {
    const Command* inner = command->find_command(name);
    if (inner == nullptr) throw Error(ErrorKind::kUsage, explain_unknown_command(*command, name));
    command = inner;
  }
  write_stdout(help_text(*command));
  return kExitDone;
}

}  // namespace

void add_help_command(Command& program) {
  Command& command = program.add_command("help", "Describe a command, as its --help does");
  const auto names = std::make_shared<std::vector<std::string>>();
  OptionRow& row =
      command.add_argument("COMMAND", names.get(), "The command, as in: help utils inspect");
  row.value = fmt::format("{}", fmt::join(program.command_names(), "|"));
  row.required = false;
  command.footer = "Example:\n  virnucpro help utils inspect";
  command.action = [names, &program](Session& /*session*/) { return run_help(program, *names); };
}

}  // namespace virnucpro

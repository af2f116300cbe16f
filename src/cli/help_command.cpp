#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/standard_output.hpp"

namespace virnucpro {
namespace {

const CLI::App& find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return *command;
  }
  throw Error(ErrorKind::kUsage, explain_unknown_command(app, name));
}

int run_help(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  std::string path;  // of what stands before the command in its usage
  for (const std::string& name : names) {
    path += (path.empty() ? "" : " ") + command->get_name();
    command = &find_command(*command, name);
  }
  // Through the formatter: App::help() of the program would give the help of the command that was
  // parsed, which is this one.
  const std::string called = path.empty() ? app.get_name() : path + " " + command->get_name();
  write_stdout(app.get_formatter()->make_help(command, called, CLI::AppFormatMode::Normal));
  return kExitDone;
}

}  // namespace

void add_help_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("help", "Describe a command, as its --help does");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *names, "The command, as in: help utils inspect")
      ->type_name(fmt::format("{}", fmt::join(command_names(app), "|")));
  command->footer("Example:\n  virnucpro help utils inspect");
  command->callback([names, &app, &action] {
    action = [names, &app](Session& /*session*/) { return run_help(app, *names); };
  });
}

}  // namespace virnucpro

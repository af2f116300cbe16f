#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "documents/documents.hpp"

namespace virnucpro {
namespace {

// Returns copies of `commands` without options; `before` is the beginning of their paths.
std::list<Command> topics(const std::list<Command>& commands, const std::string& before) {
  std::list<Command> result;
  for (const Command& command : commands) {
    Command& topic =
        result.emplace_back(fmt::format("{} {}", before, command.name()), command.text);
    topic.options.clear();
    topic.commands = topics(command.commands, topic.path);
  }
  return result;
}

}  // namespace

Command with_help_topics(Command program) {
  const auto help = std::find_if(program.commands.begin(), program.commands.end(),
                                 [](const Command& command) { return command.name() == "help"; });
  help->commands = topics(program.commands, help->path);
  help->arguments.clear();
  return program;
}

}  // namespace virnucpro

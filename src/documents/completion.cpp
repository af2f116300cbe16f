#include "documents/completion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace virnucpro {
namespace {

// `commands` as words behind `before`: they take no options there.
std::vector<CommandInfo> topics(const std::vector<CommandInfo>& commands,
                                const std::string& before) {
  std::vector<CommandInfo> result;
  for (const CommandInfo& command : commands) {
    CommandInfo topic;
    topic.name = before + " " + last_word(command.name);
    topic.text = command.text;
    topic.commands = topics(command.commands, topic.name);
    result.push_back(std::move(topic));
  }
  return result;
}

}  // namespace

CommandInfo with_help_topics(CommandInfo program) {
  const auto help =
      std::find_if(program.commands.begin(), program.commands.end(),
                   [](const CommandInfo& command) { return last_word(command.name) == "help"; });
  help->commands = topics(program.commands, help->name);
  std::erase_if(help->options, [](const OptionInfo& option) { return option.is_argument; });
  return program;
}

}  // namespace virnucpro

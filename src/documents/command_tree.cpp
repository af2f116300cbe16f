#include "documents/command_tree.hpp"

#include <algorithm>

namespace virnucpro {
namespace {

OptionInfo describe_option(const CLI::Option& option) {
  OptionInfo info;
  info.is_argument = option.get_positional();
  if (info.is_argument) info.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.takes_value = info.is_argument || option.get_expected_max() > 0;
  info.repeats = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  info.required = option.get_required();
  if (info.takes_value) info.value = option.get_type_name();
  if (info.is_argument && info.value.empty()) info.value = info.names.front();
  info.group = option.get_group();
  info.text = option.get_description();
  return info;
}

CommandInfo describe(const CLI::App& command, const std::string& before) {
  CommandInfo info;
  info.name = before.empty() ? command.get_name() : before + " " + command.get_name();
  info.text = command.get_description();
  info.footer = command.get_footer();
  for (const CLI::Option* option : command.get_options()) {
    info.options.push_back(describe_option(*option));
  }
  std::stable_partition(info.options.begin(), info.options.end(),
                        [](const OptionInfo& option) { return option.is_argument; });
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    info.commands.push_back(describe(*inner, info.name));
  }
  return info;
}

}  // namespace

CommandInfo describe_command(const CLI::App& command) {
  return describe(command, "");
}

std::string last_word(const std::string& name) {
  return name.substr(name.rfind(' ') + 1);
}

}  // namespace virnucpro

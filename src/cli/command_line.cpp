#include "cli/command_line.hpp"

#include <algorithm>
#include <utility>

namespace virnucpro {
namespace {

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    result.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace

Command::Command(std::string full_name, std::string help)
    : path(std::move(full_name)), text(std::move(help)) {
  add_option("-h,--help", Ask::kHelp, "Show this help");
}

std::vector<std::string_view> Command::command_names() const {
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.push_back(command.name());
  return names;
}

const Command* Command::find_command(std::string_view name) const {
  for (const Command& command : commands) {
    if (command.name() == name) return &command;
  }
  return nullptr;
}

const OptionRow* Command::find_option(std::string_view name) const {
  for (const OptionRow& row : options) {
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  }
  return nullptr;
}

OptionRow& Command::add_option(const std::string& names, Target target, const std::string& help,
                               const std::string& type, const std::string& group) {
  return options.emplace_back(OptionRow{
      .names = split_names(names), .target = target, .text = help, .value = type, .group = group});
}

OptionRow& Command::add_argument(const std::string& name, Target target, const std::string& help) {
  return arguments.emplace_back(
      OptionRow{.names = {name}, .target = target, .text = help, .value = name, .required = true});
}

Command& Command::add_command(const std::string& name, const std::string& help) {
  return commands.emplace_back(path + " " + name, help);
}

const Command& chosen_command(const Command& program) {
  return program.chosen == nullptr ? program : chosen_command(*program.chosen);
}

}  // namespace virnucpro

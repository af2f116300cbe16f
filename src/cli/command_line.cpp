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

std::vector<RowGroup> Command::groups() const {
  std::vector<RowGroup> groups;
  const auto add = [&groups](const OptionRow& row) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&row](const RowGroup& known) { return known.name == row.group; });
    if (group == groups.end()) group = groups.insert(group, {.name = row.group});
    group->rows.push_back(&row);
  };
  for (const OptionRow& row : arguments) add(row);
  for (const OptionRow& row : options) add(row);
  return groups;
}

OptionRow& Command::add_option(const std::string& names, Target target, const std::string& help,
                               const std::string& type, const std::string& group) {
  return options.emplace_back(OptionRow{
      .names = split_names(names), .target = target, .text = help, .value = type, .group = group});
}

OptionRow& Command::add_argument(const std::string& name, Target target, const std::string& help) {
  return arguments.emplace_back(OptionRow{.names = {name},
                                          .target = target,
                                          .text = help,
                                          .value = name,
                                          .group = kArguments,
                                          .required = true});
}

Command& Command::add_command(const std::string& name, const std::string& help) {
  return commands.emplace_back(path + " " + name, help);
}

void leave_to_help_all(Command& command, std::size_t first) {
  for (std::size_t i = first; i < command.options.size(); ++i) {
    command.options[i].listed_by = ListedBy::kHelpAll;
  }
}

bool leaves_out(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const OptionRow& row) {
    return !row.more.empty() || row.listed_by == ListedBy::kHelpAll;
  });
}

const Command& chosen_command(const Command& program) {
  return program.chosen == nullptr ? program : chosen_command(*program.chosen);
}

}  // namespace virnucpro

#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/compatibility.hpp"
#include "cli/output.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kNameWidth = 34;
constexpr std::size_t kTextWidth = 66;
constexpr std::size_t kCodeWidth = 7;
constexpr std::size_t kLineWidth = kNameWidth + kTextWidth;
constexpr const char* kGlobalOptions =
    "Global options (-v, -q, -l, -c) are accepted here, too: virnucpro --help.\n";

// Breaks lines at blanks.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos) end = text.find(' ');
    if (end == std::string_view::npos) break;
    result += text.substr(0, end);
    result += '\n';
    text.remove_prefix(end + 1);
  }
  result += text;
  return result;
}

// A name and its meaning beside it, or below it if the name is too long.
std::string entry(std::string_view name, std::string_view text, std::size_t width = kNameWidth) {
  const std::string margin = fmt::format("\n{:{}}", "", width);
  std::string line = fmt::format("  {:<{}}", name, width - 2);
  if (name.size() + 2 >= width) line += margin;
  for (const char letter : text) line += letter == '\n' ? margin : std::string(1, letter);
  return line + "\n";
}

// Breaks a long list of words after a bar.
std::string wrapped_words(std::string name) {
  if (name.size() + 2 <= kLineWidth) return name;
  const std::size_t bar = name.rfind('|', kLineWidth - 3);
  if (bar != std::string::npos) name.insert(bar + 1, "\n    ");
  return name;
}

std::string option_entry(const OptionRow& row) {
  std::string name = fmt::format("{}", fmt::join(row.names, ","));
  const bool is_named = row.is_argument() && row.value == name;
  if (row.takes_value() && !is_named) name += fmt::format(" {}", row.shown_value());
  if (row.repeats()) name += " ...";
  if (row.required) name += " (required)";
  return entry(wrapped_words(std::move(name)), wrapped(row.text, kTextWidth));
}

std::string usage(const Command& command) {
  std::string text = fmt::format("Usage: {} [OPTIONS]", command.path);
  for (const OptionRow& row : command.arguments) {
    const std::string name = row.names.front() + (row.repeats() ? "..." : "");
    text += row.required ? " " + name : " [" + name + "]";
  }
  return text + (command.commands.empty() ? "\n" : " COMMAND\n");
}

// The options that `help` lists, under the headings of their groups.
std::string option_lines(const Command& command, ListedBy help) {
  std::string text;
  std::string group;
  for (const OptionRow& row : command.options) {
    if (row.listed_by != help && row.listed_by != ListedBy::kBoth) continue;
    if (row.group != group) text += "\n" + row.group + ":\n";
    group = row.group;
    text += option_entry(row);
  }
  return text;
}

std::string exit_code_lines() {
  std::string text = "\nExit codes:\n";
  for (const ExitCode& code : exit_codes()) {
    text += entry(std::to_string(code.code), wrapped(code.meaning, kLineWidth - kCodeWidth),
                  kCodeWidth);
  }
  return text;
}

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

std::string help_text(const Command& command) {
  std::string text = command.text + "\n" + usage(command);
  if (!command.arguments.empty()) text += "\nArguments:\n";
  for (const OptionRow& row : command.arguments) text += option_entry(row);
  text += option_lines(command, ListedBy::kHelp);
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const Command& inner : command.commands) text += entry(inner.name(), inner.text);
  text += "\n" + command.footer + (command.footer.empty() ? "" : "\n");
  return text + (command.is_program() ? exit_code_lines() : kGlobalOptions);
}

std::string help_v2_text(const Command& command, const Command& program) {
  const std::vector<std::string_view> with_them = commands_with_v2_flags(program);
  if (std::find(with_them.begin(), with_them.end(), command.name()) == with_them.end()) {
    return fmt::format("{} has no flags of v2 but those in its --help; these commands have: {}.\n",
                       command.path, fmt::join(with_them, ", "));
  }
  return fmt::format("Flags of v2 that {} accepts, so that v2's command lines run here.\n{}",
                     command.path, option_lines(command, ListedBy::kHelpV2));
}

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

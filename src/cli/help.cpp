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

constexpr std::size_t kLineWidth = 80;
constexpr std::size_t kNameWidth = 28;
constexpr std::size_t kCommandWidth = 14;

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

// Returns a name with its text beside it, or below it if the name is too long.
std::string entry(std::string_view name, std::string_view text, std::size_t width = kNameWidth) {
  const std::string margin = fmt::format("\n{:{}}", "", width);
  std::string line = fmt::format("  {:<{}}", name, width - 2);
  if (name.size() + 2 >= width) line += margin;
  for (const char letter : wrapped(text, kLineWidth - width)) {
    line += letter == '\n' ? margin : std::string(1, letter);
  }
  return line + "\n";
}

// Breaks a long list of words such as "fp32|fp16" into lines that end with a bar.
std::string wrapped_words(std::string name) {
  if (name.size() + 2 <= kLineWidth) return name;
  const std::size_t bar = name.rfind('|', kLineWidth - 3);
  if (bar != std::string::npos) name.insert(bar + 1, "\n    ");
  return name;
}

// Returns an option's names; --help leaves out older long names.
std::string shown_names(const OptionRow& row, HelpKind kind) {
  if (kind != HelpKind::kShort) return fmt::format("{}", fmt::join(row.names, ","));
  const std::string& first = row.names.front();
  const std::string& last = row.names.back();
  const bool is_letter = !first.starts_with("--") && first != last;
  return is_letter ? first + "," + last : last;
}

std::string option_entry(const OptionRow& row, HelpKind kind) {
  std::string name = shown_names(row, kind);
  const bool is_named = row.is_argument() && row.value == name;
  if (row.takes_value() && !is_named) name += fmt::format(" {}", row.shown_value());
  if (row.repeats()) name += " ...";
  if (row.required && !row.is_argument()) name += " (required)";
  return entry(wrapped_words(std::move(name)),
               kind == HelpKind::kShort ? row.text : row.whole_text());
}

std::string usage(const Command& command) {
  std::string text = fmt::format("Usage: {} [OPTIONS]", command.path);
  for (const OptionRow& row : command.arguments) {
    const std::string name = row.names.front() + (row.repeats() ? "..." : "");
    text += row.required ? " " + name : " [" + name + "]";
  }
  return text + (command.commands.empty() ? "\n" : " COMMAND\n");
}

bool is_listed(const OptionRow& row, HelpKind kind) {
  if (kind == HelpKind::kV2) return row.is_of_v2();
  if (row.listed_by == ListedBy::kHelpV2) return false;
  return kind == HelpKind::kAll || row.listed_by == ListedBy::kHelp;
}

// Lists arguments and options by group, without a command's own --help.
std::string row_lines(const Command& command, HelpKind kind) {
  std::string text;
  for (const RowGroup& group : command.groups()) {
    std::string rows;
    for (const OptionRow* row : group.rows) {
      if (row->is_ask() && !command.is_program()) continue;
      if (is_listed(*row, kind)) rows += option_entry(*row, kind);
    }
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", group.name, rows);
  }
  return text;
}

// Wraps remarks and leaves examples as they are.
std::string footer_lines(std::string_view footer) {
  std::string text = footer.empty() ? "" : "\n";
  while (!footer.empty()) {
    const std::string_view line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    text += (line.starts_with("  ") ? std::string(line) : wrapped(line, kLineWidth)) + "\n";
  }
  return text;
}

std::string exit_code_lines() {
  std::vector<std::string> codes;
  for (const auto& [code, meaning] : exit_codes()) {
    codes.push_back(fmt::format("{} {}", code, meaning));
  }
  return "\n" + wrapped(fmt::format("Exit codes: {}.", fmt::join(codes, "; ")), kLineWidth) + "\n";
}

// Returns a line that tells how to see the options that this help leaves out.
std::string last_line(const Command& command, HelpKind kind) {
  const bool has_v2 = std::any_of(command.options.begin(), command.options.end(),
                                  [](const OptionRow& row) { return row.is_of_v2(); });
  std::string text = "More options:";
  if (kind == HelpKind::kShort && leaves_out(command)) text += " --help-all (all),";
  if (has_v2) text += " --help-v2 (v2's),";
  return text + " virnucpro --help (-v -q -l -c)\n";
}

int run_help(const Command& program, const std::vector<std::string>& names) {
  const Command* command = &program;
  for (const std::string& name : names) {
    const Command* inner = command->find_command(name);
    if (inner == nullptr) throw Error(ErrorKind::kUsage, explain_unknown_command(*command, name));
    command = inner;
  }
  write_stdout(help_text(*command, HelpKind::kShort));
  return kExitDone;
}

}  // namespace

std::string help_text(const Command& command, HelpKind kind) {
  std::string text = wrapped(command.text, kLineWidth) + "\n" + usage(command);
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const Command& inner : command.commands)
    text += entry(inner.name(), inner.text, command.is_program() ? kCommandWidth : kNameWidth);
  text += row_lines(command, kind) + footer_lines(command.footer);
  return text + (command.is_program() ? exit_code_lines() : last_line(command, kind));
}

std::string help_v2_text(const Command& command, const Command& program) {
  const std::string flags = row_lines(command, HelpKind::kV2);
  if (flags.empty()) {
    const std::string text =
        fmt::format("{} has no flags of v2; these commands have some: {}.", command.path,
                    fmt::join(commands_with(program, ListedBy::kHelpAllAndV2), ", "));
    return wrapped(text, kLineWidth) + "\n";
  }
  return fmt::format("Flags of v2 that {} accepts.\n{}", command.path, flags);
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

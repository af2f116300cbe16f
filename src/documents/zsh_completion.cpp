#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "documents/documents.hpp"
#include "documents/value_words.hpp"

namespace virnucpro {
namespace {

// Escapes `text` for single quotes, with a backslash before each of `marks`.
std::string escaped(std::string_view text, std::string_view marks) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
      continue;
    }
    if (letter == '\n') {
      result += ' ';
      continue;
    }
    if (letter == '\\' || marks.find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

std::string function_name(const std::string& command) {
  std::string name = "_" + command;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Returns zsh's specification of a value: "FILE:_files".
std::string value_part(const OptionRow& row) {
  const ValueWords values = value_words(row);
  std::string action = " ";
  if (!values.words.empty()) {
    action = fmt::format("{{{} {}{}}}", values.is_list ? "_sequence compadd -" : "compadd --",
                         escaped(fmt::format("{}", fmt::join(values.words, " ")), ":"),
                         values.files ? "; _files" : "");
  } else if (values.files) {
    action = "_files";
  } else if (values.directories) {
    action = "_files -/";
  }
  return fmt::format("{}:{}", escaped(row.value, ":"), action);
}

// Returns names like "-o+" and "--output=": the value may be the next word or follow the name.
std::vector<std::string> names_with_value(const OptionRow& option) {
  std::vector<std::string> names = option.names;
  if (!option.takes_value()) return names;
  for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
  return names;
}

std::string option_line(const OptionRow& option) {
  std::string value;
  if (option.takes_value()) value = (option.alone == nullptr ? ":" : "::") + value_part(option);
  if (option.is_argument()) return fmt::format("'{}{}'", option.repeats() ? "*" : "", value);
  const std::vector<std::string> names = names_with_value(option);
  const std::string rest = fmt::format("'[{}]{}'", escaped(option.text, "[]:"), value);
  if (names.size() == 1) return names[0] + rest;
  return fmt::format("'({})'{{{}}}{}", fmt::join(option.names, " "), fmt::join(names, ","), rest);
}

std::string arguments_call(const Command& command, const Command& program) {
  std::string text;
  for (const OptionRow& argument : command.arguments) text += " \\\n    " + option_line(argument);
  for (const OptionRow& option : command.options) {
    if (option.listed_by != ListedBy::kHelpV2) text += " \\\n    " + option_line(option);
  }
  if (&command == &program) return text;
  for (const OptionRow& option : program.options) {
    const bool is_help = option.names.front() == "-h";
    if (!is_help) text += " \\\n    " + option_line(option);
  }
  return text;
}

void add_leaf(std::string& text, const Command& command, const Command& program) {
  text += fmt::format("\n{}() {{\n  _arguments -S{}\n}}\n", function_name(command.path),
                      arguments_call(command, program));
}

// Adds a command that has subcommands.
void add_branch(std::string& text, const Command& command, const Command& program) {
  text += fmt::format(
      "\n{}() {{\n  local curcontext=\"$curcontext\" state line\n  local -a commands\n"
      "  typeset -A opt_args\n  _arguments -C{} \\\n    ':command:->command' \\\n"
      "    '*::argument:->argument'\n",
      function_name(command.path), arguments_call(command, program));
  text += "  case $state in\n    command)\n      commands=(\n";
  for (const Command& inner : command.commands) {
    text += fmt::format("        '{}:{}'\n", inner.name(), escaped(inner.text, ":"));
  }
  text +=
      "      )\n      _describe command commands\n      ;;\n    argument)\n"
      "      case $line[1] in\n";
  for (const Command& inner : command.commands) {
    text += fmt::format("        {}) {} ;;\n", inner.name(), function_name(inner.path));
  }
  text += "      esac\n      ;;\n  esac\n}\n";
}

void add_functions(std::string& text, const Command& command, const Command& program) {
  if (command.commands.empty()) {
    add_leaf(text, command, program);
  } else {
    add_branch(text, command, program);
  }
  for (const Command& inner : command.commands) add_functions(text, inner, program);
}

}  // namespace

std::string zsh_completion(const Command& tree) {
  const Command program = with_help_topics(tree);
  std::string text =
      "#compdef virnucpro\n# Completion of virnucpro for zsh; made from the program's table of "
      "options.\n";
  add_functions(text, program, program);
  text += fmt::format("\n{} \"$@\"\n", function_name(program.path));
  return text;
}

}  // namespace virnucpro

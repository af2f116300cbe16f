#include <fmt/format.h>

#include <string_view>
#include <variant>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "cli/compatibility.hpp"
#include "cli/environment.hpp"
#include "documents/documents.hpp"

namespace virnucpro {
namespace {

// Returns a text with a backslash before each of `letters`.
std::string with_backslashes(std::string_view text, std::string_view letters) {
  std::string result;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

// Escapes a text for a table cell.
std::string cell(std::string_view text) {
  return with_backslashes(text, "|");
}

// Escapes a text, so that nothing in it looks like an HTML tag.
std::string markdown(std::string_view text) {
  return with_backslashes(text, "<");
}

std::string_view yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

// Returns an option or argument as a user types it.
std::string typed(const OptionRow& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.takes_value() && !option.is_argument()) text += " " + option.shown_value();
  if (option.repeats()) text += "...";
  return text;
}

// Returns an option as a line of a list, because most options are too long for a table.
std::string option_row(const OptionRow& option) {
  return fmt::format("- `{}`: {}{}\n", typed(option), markdown(option.whole_text()),
                     option.required && !option.is_argument() ? " (required)" : "");
}

// True for --help. Every command has it, so only the page's introduction mentions it.
bool is_help(const OptionRow& option) {
  const Ask* ask = std::get_if<Ask>(&option.target);
  return ask != nullptr && *ask == Ask::kHelp;
}

// Returns true if `other` has the same option with the same text.
bool has_same(const Command& other, const OptionRow& option) {
  const OptionRow* same = other.find_option(option.names.back());
  return same != nullptr && option_row(*same) == option_row(option);
}

// Lists the options of `command`. `told` is an earlier command on the page, or null. Options that
// `told` has with the same text are only named, in the last line.
std::string option_list(const Command& command, const Command* told) {
  std::vector<std::string> shared;
  std::string rows;
  for (const RowGroup& group : command.groups()) {
    std::string text;
    for (const OptionRow* row : group.rows) {
      if (row->listed_by == ListedBy::kHelpV2 || is_help(*row)) continue;
      if (told != nullptr && has_same(*told, *row)) {
        shared.push_back(fmt::format("`{}`", row->names.back()));
      } else {
        text += option_row(*row);
      }
    }
    const bool is_usual = group.name == kOptions || group.name == kArguments;
    const bool has_heading = !is_usual && !command.is_program() && !text.empty();
    if (has_heading) rows += fmt::format("\n**{}**\n\n", group.name);
    if (!has_heading && rows.empty() && !text.empty()) rows += "\n";
    rows += text;
  }
  if (shared.empty()) return rows;
  return rows + fmt::format("\nAs for `{}`: {}.\n", told->path, fmt::join(shared, ", "));
}

void add_option_sections(std::string& text, const Command& parent, const Command& told) {
  for (const Command& command : parent.commands) {
    text += fmt::format("\n## {}\n{}.\n{}", command.path, command.text,
                        option_list(command, &command == &told ? nullptr : &told));
    add_option_sections(text, command, told);
  }
}

// Returns the table of v2's flags; flags with the same meaning share a row.
std::string v2_flag_table() {
  std::string text = "\n| flag | what it stands for |\n|---|---|\n";
  std::string_view says;
  for (const V2Flag& flag : v2_flags()) {
    const std::string name = fmt::format("`{}{}`", flag.names, flag.takes_value ? " N" : "");
    if (flag.says == says) {
      text.insert(text.rfind(" | "), ", " + name);
    } else {
      text += fmt::format("| {} | {} |\n", name, cell(flag.says));
    }
    says = flag.says;
  }
  return text;
}

}  // namespace

std::string option_reference(const Command& program) {
  std::string text =
      "# Commands and options\n\n"
      "Made by `make docs` from the options in `src/cli` and `measure/commands`; not to be "
      "edited.\n\n"
      "`virnucpro COMMAND --help` shows what most runs need, with examples; `--help-all` shows "
      "all\noptions. These options go before or after the command:\n";
  text += option_list(program, nullptr);
  add_option_sections(text, program, program.commands.front());
  text += fmt::format(
      "\n## Flags of v2\nThese flags are accepted by {}, so that the command lines of v2 run.\n",
      fmt::join(commands_with(program, ListedBy::kHelpV2), ", "));
  return text + v2_flag_table();
}

std::string meaning_of(const ExitCode& code, const Command& program) {
  std::string text(code.meaning);
  for (const Command& command : program.commands) {
    for (const ExitCode& own : command.exit_codes) {
      if (own.code == code.code) text += fmt::format("; {}: {}", command.name(), own.meaning);
    }
    text = meaning_of({.code = code.code, .meaning = text}, command);
  }
  return text;
}

std::string error_reference(const Command& program) {
  std::string text =
      "# Errors\n\n"
      "Made by `make docs` from `src/base/error.cpp` and the commands' exit codes; not to "
      "be edited.\n\n"
      "A message names the file and the record, byte or tensor, and what was expected; the line\n"
      "after it says what can be done. `failed_inputs.txt` and the log use the names below.\n\n"
      "| exit code | meaning |\n|---|---|\n";
  for (const ExitCode& code : exit_codes()) {
    text += fmt::format("| {} | {} |\n", code.code, cell(meaning_of(code, program)));
  }
  text += "\n| error | exit code | meaning | what to do |\n|---|---|---|---|\n";
  for (const ErrorInfo& info : error_table()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", info.name, info.exit_code, cell(info.summary),
                        cell(info.remedy));
  }
  return text;
}

std::string configuration_reference() {
  std::string text =
      "# Configuration\n\n"
      "Made by `make docs` from the tables in `src/base/config_keys.cpp` and\n"
      "`src/cli/environment.cpp`; not to be edited.\n\n"
      "`-c FILE` reads YAML; `virnucpro utils generate-config` writes a file with every key. Flags "
      "override\nthe environment, the environment overrides the file, and the file overrides the "
      "defaults. A key without\neffect is accepted with any value, and `-v` logs it "
      "(`features.esm.toks_per_batch` gives a warning).\nAn unknown key gives a warning that names "
      "the "
      "nearest key. A value of the wrong type is an error that names\nthe line.\n\n"
      "| key | default | effect | meaning |\n|---|---|---|---|\n";
  for (const ConfigKey& key : config_keys()) {
    text += fmt::format("| `{}` | `{}` | {} | {} |\n", key.name, cell(key.fallback),
                        yes_or_no(key.used), cell(key.comment));
  }
  text +=
      "\n## Environment\n\nA variable that is a switch is on when it is set to anything but an "
      "empty text, `0`, `no`, `off` or `false`.\n\n"
      "| variable | effect | meaning |\n|---|---|---|\n";
  for (const EnvironmentVariable& variable : environment_variables()) {
    text += fmt::format("| `{}` | {} | {} |\n", variable.name, yes_or_no(variable.used),
                        cell(variable.meaning));
  }
  return text;
}

}  // namespace virnucpro

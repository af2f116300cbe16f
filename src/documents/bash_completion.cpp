#include <fmt/format.h>

#include <string_view>

#include "documents/documents.hpp"
#include "documents/value_words.hpp"

namespace virnucpro {
namespace {

// bash splits words at : and =, which occur in names of models and after long options. The script
// therefore joins the parts, and suggests only the part after the last : of each word.
constexpr std::string_view kHead =
    R"bash(# Completion of virnucpro for bash; made from the program's table of options.

_virnucpro_offer() {  # KIND WORDS: files, directories or nothing, and words, or a list of words
  local before=''
  if [[ $1 == list && $cur == *,* ]]; then before=${cur%,*},; fi
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${cur#"$before"}")
  case $1 in
    files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
    directories) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur") ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null
}

_virnucpro() {
  local words=() glue='' word cur option command i
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $word == [:=]* && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
      glue=yes
    elif [[ $glue && $word ]]; then
      words[-1]+=$word
      glue=''
    else
      words+=("$word")
      glue=''
    fi
  done
  cur=${words[-1]}
  unset 'words[-1]'
  option=${words[-1]}
  COMPREPLY=()

  command=virnucpro
  for ((i = 1; i < ${#words[@]}; ++i)); do
    case "$command ${words[i]}" in
)bash";

constexpr std::string_view kTail = R"bash(  esac
}

complete -F _virnucpro virnucpro
)bash";

constexpr std::string_view kFindOption = R"bash(    esac
  done

  if [[ $cur == --*=* ]]; then
    option=${cur%%=*}
    cur=${cur#*=}
  fi
  _virnucpro_values "$command" "$option"
  if [[ $? -eq 1 ]]; then
    if [[ $cur == -* ]]; then
      _virnucpro_options "$command"
    else
      _virnucpro_arguments "$command"
    fi
  fi
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
  fi
}
)bash";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string offer(const OptionRow& row) {
  const ValueWords values = value_words(row);
  std::string_view kind = "words";
  if (values.directories) kind = "directories";
  if (values.files) kind = "files";
  if (values.is_list) kind = "list";
  return fmt::format("_virnucpro_offer {} '{}'", kind, joined(values.words));
}

// Appends `line` for a command and all commands below it.
template <typename Line>
void for_each_command(std::string& text, const Command& command, const Line& line) {
  text += line(command);
  for (const Command& inner : command.commands) for_each_command(text, inner, line);
}

// Returns an option's patterns for a shell's case, such as "virnucpro predict --name". The patterns
// of a global option match every command.
std::string patterns(const Command& command, const OptionRow& option, bool is_global) {
  std::string text;
  for (const std::string& name : option.names) {
    if (!text.empty()) text += " | ";
    text +=
        is_global ? fmt::format("*\" {}\"", name) : fmt::format("\"{} {}\"", command.path, name);
  }
  return text;
}

std::string value_cases(const Command& command, bool is_global) {
  std::string text;
  for (const OptionRow& option : command.options) {
    if (!option.takes_value() || option.listed_by == ListedBy::kHelpV2) continue;
    // If the value may be left out, the next word may be another option.
    const char* const unless = option.alone == nullptr ? "" : "[[ $cur == -* ]] && return 1; ";
    text += fmt::format("    {}) {}{} ;;\n", patterns(command, option, is_global), unless,
                        offer(option));
  }
  return text;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const OptionRow& option : command.options) {
    if (option.listed_by == ListedBy::kHelpV2) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string options_case(const Command& command, const Command& program) {
  std::vector<std::string> names = option_names(command);
  if (&command != &program) {
    for (const std::string& name : option_names(program)) {
      if (name != "-h" && name != "--help") names.push_back(name);
    }
  }
  return fmt::format("    \"{}\") _virnucpro_offer words '{}' ;;\n", command.path, joined(names));
}

std::string arguments_case(const Command& command) {
  if (!command.commands.empty()) {
    return fmt::format("    \"{}\") _virnucpro_offer words '{}' ;;\n", command.path,
                       fmt::join(command.command_names(), " "));
  }
  if (command.arguments.empty()) return {};
  return fmt::format("    \"{}\") {} ;;\n", command.path, offer(command.arguments.front()));
}

}  // namespace

std::string bash_completion(const Command& tree) {
  const Command program = with_help_topics(tree);
  std::string text(kHead);
  for_each_command(text, program, [&](const Command& command) {
    const bool is_program = &command == &program;
    return is_program ? std::string{}
                      : fmt::format("      \"{}\") command+=\" ${{words[i]}}\" ;;\n", command.path);
  });
  for (const OptionRow& option : program.options) {
    if (option.takes_value())
      text += fmt::format("      {}) i=$((i + 1)) ;;\n", patterns(program, option, true));
  }
  text += kFindOption;
  text +=
      "\n_virnucpro_values() {  # COMMAND OPTION; fails if the option takes no value\n"
      "  case \"$1 $2\" in\n";
  for_each_command(text, program, [&program](const Command& command) {
    return value_cases(command, &command == &program);
  });
  text += "    *) return 1 ;;\n  esac\n  return 0\n}\n";
  text += "\n_virnucpro_options() {  # COMMAND\n  case $1 in\n";
  for_each_command(text, program,
                   [&program](const Command& command) { return options_case(command, program); });
  text += "  esac\n}\n\n_virnucpro_arguments() {  # COMMAND\n  case $1 in\n";
  for_each_command(text, program, arguments_case);
  text += kTail;
  return text;
}

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace virnucpro {

// The command line as plain data: commands, and a row for each of their options. The parser
// (cli/parse_command_line.hpp), help, manual and completion all read these rows.

struct Session;

// A command's work; gives the exit code, throws Error.
using Action = std::function<int(Session&)>;

inline constexpr const char* kOptions = "Options";  // the group of most options

// What is done in place of a command's work.
enum class Ask : std::uint8_t { kHelp, kVersion };

// What an option sets: a switch, the number of times it was given, a value, or all of its values.
using Target = std::variant<Ask, bool*, int*, std::string*, std::vector<std::string>*>;

// An option, or an argument, which stands without a name of its own.
//
// `value` says what a value is, for people and for completion (documents/value_words.hpp): FILE,
// DIR, N, …, or the words it can be, "auto|fp32|bf16".
struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output", the long one last; of an argument: "INPUT"
  Target target;
  std::string text;
  std::string value{};  // empty without one
  std::string group = kOptions;
  std::string excludes{};  // a name of an option before it that may not stand beside it
  bool required = false;
  bool may_be_empty = false;  // else an empty value is refused
  std::size_t times = 0;      // how often the command line holds it

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool takes_value() const { return !value.empty(); }
  bool repeats() const { return std::holds_alternative<std::vector<std::string>*>(target); }
};

// A command, the program itself, too. References to commands and rows stay good while others are
// added.
struct Command {
  // With the option --help.
  Command(std::string full_name, std::string help);

  std::string path;  // all of its name: "virnucpro utils inspect"
  std::string text;
  std::string footer{};  // examples and remarks
  std::deque<OptionRow> arguments{};
  std::deque<OptionRow> options{};
  std::list<Command> commands{};
  Action action{};                  // none where a command below has to be named
  const Command* chosen = nullptr;  // of its commands: which the command line names

  std::string_view name() const { return std::string_view(path).substr(path.rfind(' ') + 1); }
  bool is_program() const { return name() == path; }
  std::vector<std::string_view> command_names() const;
  // nullptr: there is none of this name.
  const Command* find_command(std::string_view name) const;
  const OptionRow* find_option(std::string_view name) const;

  // `names` as in "-o,--output". What is filled in lives as long as the command.
  OptionRow& add_option(const std::string& names, Target target, const std::string& help,
                        const std::string& type = {}, const std::string& group = kOptions);
  OptionRow& add_flag(const std::string& names, bool& on, const std::string& help,
                      const std::string& group = kOptions) {
    return add_option(names, &on, help, {}, group);
  }
  // The last value counts where it is given twice. It may not be empty: an unset shell variable is
  // a mistake, not a default.
  OptionRow& add_value(const std::string& names, std::string& value, const std::string& help,
                       const std::string& type, const std::string& group = kOptions) {
    return add_option(names, &value, help, type, group);
  }
  // A required one.
  OptionRow& add_argument(const std::string& name, Target target, const std::string& help);
  Command& add_command(const std::string& name, const std::string& help);
};

// The command that the command line names, as deep as it goes.
const Command& chosen_command(const Command& program);

}  // namespace virnucpro

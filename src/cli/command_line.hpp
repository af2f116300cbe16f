#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace virnucpro {

// The command line as data: commands, each with a row per option. The parser
// (parse_command_line()), help, manual and completion all read these rows.

struct Session;

// A command's work. Returns the exit code, or throws Error.
using Action = std::function<int(Session&)>;

// The groups of most options, and of most arguments.
inline constexpr const char* kOptions = "Options";
inline constexpr const char* kArguments = "Arguments";

// An option that replaces a command's work.
enum class Ask : std::uint8_t { kHelp, kHelpAll, kHelpV2, kVersion };

// The help that lists an option. --help has those that most runs need, as nobody finds one among
// eighty. --help-all also has those that few need and v2's with an effect, --help-v2 all of v2's.
enum class ListedBy : std::uint8_t { kHelp, kHelpAll, kHelpAllAndV2, kHelpV2 };

// An option sets a switch, a count of its occurrences, a value, or all of its values.
using Target = std::variant<Ask, bool*, int*, std::string*, std::vector<std::string>*>;

// An option, or an argument, which has no name of its own.
//
// `value` describes the option's values for people and for completion (documents/value_words.hpp):
// FILE, DIR, N, …, or the possible words, "auto|fp32|bf16".
struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output", the long name last; "INPUT" for an argument
  Target target;
  std::string text;       // what it does
  std::string more{};     // what --help-all and the manual add to the text
  std::string value{};    // empty: it takes no value
  bool* alone = nullptr;  // set if it stood without a value; null: it needs one
  std::string group = kOptions;
  std::string excludes{};  // the name of an earlier option that must not be combined with it
  ListedBy listed_by = ListedBy::kHelp;
  bool required = false;
  bool may_be_empty = false;  // false: an empty value is refused
  bool one_each = false;      // of several values: one each time it is given, no argument behind it
  // The endings that the option adds to its value in the names of the files that it writes: {""} if
  // the value is a file's name, empty if it writes none.
  std::vector<std::string> written{};
  std::size_t times = 0;  // how often it occurs on the command line

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_ask() const { return std::holds_alternative<Ask>(target); }
  bool takes_value() const { return !value.empty(); }
  bool is_of_v2() const {
    return listed_by == ListedBy::kHelpV2 || listed_by == ListedBy::kHelpAllAndV2;
  }
  std::string whole_text() const { return more.empty() ? text : text + "; " + more; }
  // `value` as help shows it: "N", "[N]" if it may be left out.
  std::string shown_value() const { return alone == nullptr ? value : "[" + value + "]"; }
  bool repeats() const { return std::holds_alternative<std::vector<std::string>*>(target); }
};

// Rows under one heading.
struct RowGroup {
  std::string name;
  std::vector<const OptionRow*> rows{};
};

// A command, or the program itself. References to commands and rows stay valid while others are
// added.
struct Command {
  // Adds the option --help.
  Command(std::string full_name, std::string help);

  std::string path;  // its whole name: "virnucpro utils inspect"
  std::string text;
  // Examples, below a line "Examples:", begin with two blanks; any other line is a paragraph of
  // remarks.
  std::string footer{};
  std::deque<OptionRow> arguments{};
  std::deque<OptionRow> options{};
  std::list<Command> commands{};
  Action action{};                  // empty if a subcommand must be named
  const Command* chosen = nullptr;  // the subcommand on the command line

  std::string_view name() const { return std::string_view(path).substr(path.rfind(' ') + 1); }
  bool is_program() const { return name() == path; }
  std::vector<std::string_view> command_names() const;
  // nullptr if no subcommand has this name.
  const Command* find_command(std::string_view name) const;
  const OptionRow* find_option(std::string_view name) const;
  // Arguments and options by group, the groups in the order of their first rows.
  std::vector<RowGroup> groups() const;

  // `names` as in "-o,--output". The target must outlive the command.
  OptionRow& add_option(const std::string& names, Target target, const std::string& help,
                        const std::string& type = {}, const std::string& group = kOptions);
  OptionRow& add_flag(const std::string& names, bool& on, const std::string& help,
                      const std::string& group = kOptions) {
    return add_option(names, &on, help, {}, group);
  }
  // If given twice, the last value counts. An empty value is refused: an unset shell variable is
  // more likely a mistake than a wish for the default.
  OptionRow& add_value(const std::string& names, std::string& value, const std::string& help,
                       const std::string& type, const std::string& group = kOptions) {
    return add_option(names, &value, help, type, group);
  }
  // The argument is required.
  OptionRow& add_argument(const std::string& name, Target target, const std::string& help);
  Command& add_command(const std::string& name, const std::string& help);
};

// Leaves options that were just added to --help-all: those from the `first` on.
void leave_to_help_all(Command& command, std::size_t first);
// True if --help leaves out an option other than v2's, or a part of its text.
bool leaves_out(const Command& command);

// The command on the command line, or its innermost subcommand.
const Command& chosen_command(const Command& program);

// Fills in the targets of the rows of `program` and its commands, how often each was given, and the
// chosen commands. Returns the option that replaces the command's work, if there is one.
// `arguments` begin with the program's name. Errors: kUsage, with the nearest known command or flag
// for an unknown one; the commands are filled in even then.
std::optional<Ask> parse_command_line(Command& program, std::span<const char* const> arguments);

// "unknown command perdict; did you mean predict?"
std::string explain_unknown_command(const Command& above, const std::string& name);

}  // namespace virnucpro

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

#include "base/error.hpp"

namespace virnucpro {

// The command line as data: commands, each with a row per option. The parser
// (parse_command_line()), help, manual and completion all read these rows.

struct Session;

// Does a command's work. Returns the exit code, or throws Error.
using Action = std::function<int(Session&)>;

// The usual groups of options and of arguments.
inline constexpr const char* kOptions = "Options";
inline constexpr const char* kArguments = "Arguments";

// An option that prints something in place of a command's work.
enum class Ask : std::uint8_t { kHelp, kHelpAll, kHelpV2, kVersion };

// The help texts that list an option. --help lists the options that most runs need, because all
// eighty are too many to read. --help-all adds the rarer ones, and the options of v2 that have an
// effect. --help-v2 lists only the options of v2.
enum class ListedBy : std::uint8_t { kHelp, kHelpAll, kHelpAllAndV2, kHelpV2 };

// An option sets a switch, or stores its value or all of its values.
using Target = std::variant<Ask, bool*, std::string*, std::vector<std::string>*>;

// An option, or an argument, which stands without a name on the command line.
//
// `value` describes the values for people and for completion (documents/value_words.hpp): FILE,
// DIR, N, …, or the possible words, "auto|fp32|bf16".
struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output", the long name last; "INPUT" for an argument
  Target target;
  std::string text;       // the effect of the option
  std::string more{};     // text that --help-all and the manual add
  std::string value{};    // empty: the option takes no value
  bool* alone = nullptr;  // set if the option is given without a value; null: a value is required
  std::string group = kOptions;
  std::string excludes{};  // the name of an earlier option that excludes this one
  ListedBy listed_by = ListedBy::kHelp;
  bool required = false;
  bool may_be_empty = false;  // false: an empty value is an error
  bool one_each = false;      // true: each use of the option takes one value
  // The endings that the option adds to its value to name the files that it writes. The list is
  // {""} if the value is itself a file's name, and empty if the option writes no file.
  std::vector<std::string> written{};
  // A value names a file to read if it begins with this text: with "from:", the value
  // "from:reads.fa" names reads.fa.
  std::string before_file{};
  std::vector<std::string> words{};  // suggestions of completion, besides those of `value`
  std::size_t times = 0;             // how often the option is on the command line

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_ask() const { return std::holds_alternative<Ask>(target); }
  bool takes_value() const { return !value.empty(); }
  bool is_of_v2() const {
    return listed_by == ListedBy::kHelpV2 || listed_by == ListedBy::kHelpAllAndV2;
  }
  std::string whole_text() const { return more.empty() ? text : text + "; " + more; }
  // Returns `value` as help shows it: "N", or "[N]" if it may be left out.
  std::string shown_value() const { return alone == nullptr ? value : "[" + value + "]"; }
  bool repeats() const { return std::holds_alternative<std::vector<std::string>*>(target); }
};

struct RowGroup {
  std::string name;
  std::vector<const OptionRow*> rows{};
};

// A command, or the program itself. Adding commands or rows leaves references to earlier ones
// valid.
struct Command {
  // Adds the option --help to the new command.
  Command(std::string full_name, std::string help);

  std::string path;  // its whole name: "virnucpro utils inspect"
  std::string text;
  // Examples stand below a line "Examples:" and begin with two blanks. Other lines are remarks.
  std::string footer{};
  std::deque<OptionRow> arguments{};
  std::deque<OptionRow> options{};
  std::list<Command> commands{};
  Action action{};                     // empty if a subcommand must be named
  std::vector<ExitCode> exit_codes{};  // codes with a meaning of their own in this command
  // The exit code of errors that have code 1 in most commands. A command that returns 1 as a
  // result, as diff does, sets another code.
  int exit_code_for_1 = kExitFailure;
  // Replaces remedies that advise to resume; empty if --resume is right for this command.
  std::string restart_advice = "Run the command again, from the beginning.";
  const Command* chosen = nullptr;  // the subcommand on the command line

  std::string_view name() const { return std::string_view(path).substr(path.rfind(' ') + 1); }
  bool is_program() const { return name() == path; }
  std::vector<std::string_view> command_names() const;
  // Returns nullptr if there is no subcommand or option of this name.
  const Command* find_command(std::string_view name) const;
  const OptionRow* find_option(std::string_view name) const;
  // Returns arguments and options by group. The groups have the order of their first rows.
  std::vector<RowGroup> groups() const;

  // Adds an option with names such as "-o,--output". The target must outlive the command.
  OptionRow& add_option(const std::string& names, Target target, const std::string& help,
                        const std::string& type = {}, const std::string& group = kOptions);
  OptionRow& add_flag(const std::string& names, bool& on, const std::string& help,
                      const std::string& group = kOptions) {
    return add_option(names, &on, help, {}, group);
  }
  // Adds an option with a value. If it is given twice, the last value counts. The parser refuses an
  // empty value, which is more often an unset shell variable than a wish for the default.
  OptionRow& add_value(const std::string& names, std::string& value, const std::string& help,
                       const std::string& type, const std::string& group = kOptions) {
    return add_option(names, &value, help, type, group);
  }
  // Adds a required argument.
  OptionRow& add_argument(const std::string& name, Target target, const std::string& help);
  Command& add_command(const std::string& name, const std::string& help);
};

// Makes --help-all, but not --help, list the options from index `first` on.
void leave_to_help_all(Command& command, std::size_t first);
// True if --help-all shows more options or text than --help. v2's flags do not count.
bool leaves_out(const Command& command);

// Returns the command on the command line, or its innermost subcommand.
const Command& chosen_command(const Command& program);

// Fills in the targets of the given rows, the number of times that each was given, and the chosen
// commands. Returns the option that replaces the command's work, if there is one. `arguments` begin
// with the program's name. Errors: kUsage, which suggests the nearest command or flag for an
// unknown one. Even then the chosen commands and the numbers of times are filled in.
std::optional<Ask> parse_command_line(Command& program, std::span<const char* const> arguments);

// Returns a text such as "unknown command perdict; did you mean predict?".
std::string explain_unknown_command(const Command& above, const std::string& name);

}  // namespace virnucpro

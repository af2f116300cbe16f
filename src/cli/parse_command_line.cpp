#include <fmt/format.h>

#include "cli/command_line.hpp"

// CLI11 is included only here, because it has 80,000 lines.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string refuse_empty(const std::string& value) {
  return value.empty() ? "the value is empty" : std::string{};
}

// CLI11 stores this text for an option without a value. No argument can contain a NUL.
constexpr std::string_view kStoodAlone{"\0", 1};

// Adds a row's option to the command `app`. Has a function for each type of target.
struct OptionMaker {
  CLI::App& app;
  const OptionRow& row;
  // The row's names in reverse order: CLI11's errors show the first long name, but the program's
  // errors must show the row's last name.
  std::string names = fmt::format("{}", fmt::join(row.names.rbegin(), row.names.rend(), ","));

  CLI::Option* operator()(Ask ask) const {
    if (ask == Ask::kHelp) return app.set_help_flag(names);
    // CLI11 has only two help flags, so --help-all is an ordinary flag that throws.
    if (ask == Ask::kHelpAll) return app.add_flag_callback(names, [] { throw Ask::kHelpAll; });
    if (ask == Ask::kHelpV2) return app.set_help_all_flag(names);
    return app.set_version_flag(names, std::string{});
  }
  CLI::Option* operator()(bool* on) const { return app.add_flag(names, *on); }
  CLI::Option* operator()(std::string* value) const {
    CLI::Option* option = app.add_option(names, *value)->type_name(row.value)->take_last();
    if (row.alone != nullptr) option->expected(0, 1)->default_str(std::string(kStoodAlone));
    return row.may_be_empty ? option : option->check(refuse_empty);
  }
  CLI::Option* operator()(std::vector<std::string>* values) const {
    CLI::Option* option = app.add_option(names, *values)->type_name(row.value);
    if (row.one_each) option->allow_extra_args(false);
    return row.may_be_empty ? option : option->check(refuse_empty);
  }
};

class Parser {
 public:
  explicit Parser(Command& program) : program_(program), app_("", program.path) {
    app_.fallthrough();  // commands added later inherit this
    add_command(app_, program);
  }

  std::optional<Ask> parse(std::span<const char* const> arguments) {
    try {
      app_.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const Ask& ask) {
      return ask;
    } catch (const CLI::CallForHelp&) {
      return Ask::kHelp;
    } catch (const CLI::CallForAllHelp&) {
      return Ask::kHelpV2;
    } catch (const CLI::CallForVersion&) {
      return Ask::kVersion;
    }
    for (const auto& [row, option] : options_) {
      if (row->alone != nullptr && option->count() > 0) settle_value(*row, arguments);
    }
    return std::nullopt;
  }

  // Sets OptionRow::times of all rows, and Command::chosen, even if parsing failed.
  void fill_in_given() {
    for (const auto& [row, option] : options_) row->times = option->count();
    fill_in_chosen(app_, program_);
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> words = app_.remaining(true);
    std::erase(words, "--");
    return words;
  }

 private:
  // Sets `alone` to whether the option was given without a value. Refuses an empty value, because
  // CLI11 accepts "" for such an option, and stores kStoodAlone for "--option=", too.
  static void settle_value(const OptionRow& row, std::span<const char* const> arguments) {
    std::string& value = *std::get<std::string*>(row.target);
    const bool is_cut = std::any_of(arguments.begin(), arguments.end(), [&row](const char* given) {
      return given == row.names.back() + "=";
    });
    const std::string why = refuse_empty(is_cut ? "" : value);
    if (!why.empty()) throw CLI::ValidationError(row.names.back(), why);
    *row.alone = value == kStoodAlone;
    if (*row.alone) value.clear();
  }

  void add_row(CLI::App& app, OptionRow& row) {
    CLI::Option* option = std::visit(OptionMaker{app, row}, row.target);
    option->required(row.required);
    if (!row.excludes.empty()) option->excludes(app.get_option(row.excludes));
    options_.emplace_back(&row, option);
  }

  void add_command(CLI::App& app, Command& command) {
    for (OptionRow& row : command.arguments) add_row(app, row);
    for (OptionRow& row : command.options) add_row(app, row);
    if (!command.commands.empty()) app.require_subcommand(1);
    for (Command& inner : command.commands) {
      add_command(*app.add_subcommand(std::string(inner.name())), inner);
    }
  }

  static void fill_in_chosen(const CLI::App& app, Command& command) {
    for (Command& inner : command.commands) {
      const std::string name(inner.name());
      if (!app.got_subcommand(name)) continue;
      command.chosen = &inner;
      fill_in_chosen(*app.get_subcommand(name), inner);
    }
  }

  Command& program_;
  CLI::App app_;
  std::vector<std::pair<OptionRow*, const CLI::Option*>> options_;
};

// Collects the flags of the chosen commands, the innermost command first, then the program's flags.
void add_flags(const Command& command, std::vector<std::string_view>& flags) {
  if (command.chosen != nullptr) add_flags(*command.chosen, flags);
  for (const OptionRow& row : command.options) flags.emplace_back(row.names.back());
}

std::string explain_unused(const Command& program, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string_view> known;
    add_flags(program, known);
    return fmt::format("unknown flag {}{}", flag, did_you_mean(flag, known));
  }
  const Command& command = chosen_command(program);
  return command.commands.empty() ? "unexpected argument " + word
                                  : explain_unknown_command(command, word);
}

std::string explain_mistake(const Command& program, const CLI::ParseError& error,
                            const std::vector<std::string>& unused) {
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if ((required || extra) && !unused.empty()) return explain_unused(program, unused.front());
  const std::vector<std::string_view> commands = chosen_command(program).command_names();
  if (required && !commands.empty()) {
    return fmt::format("a command is needed, one of: {}", fmt::join(commands, ", "));
  }
  std::string text = error.what();  // "--threads: 1 required N missing"
  const bool needs_value = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  if (needs_value && text.ends_with(" missing")) {
    return fmt::format("{} needs a value", text.substr(0, text.find(':')));
  }
  return text;
}

}  // namespace

std::optional<Ask> parse_command_line(Command& program, std::span<const char* const> arguments) {
  Parser parser(program);
  try {
    const std::optional<Ask> ask = parser.parse(arguments);
    parser.fill_in_given();
    return ask;
  } catch (const CLI::ParseError& error) {
    parser.fill_in_given();
    throw Error(ErrorKind::kUsage, explain_mistake(program, error, parser.unused()));
  }
}

std::string explain_unknown_command(const Command& above, const std::string& name) {
  return fmt::format("unknown command {}{}", name, did_you_mean(name, above.command_names()));
}

}  // namespace virnucpro

#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/error_of.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/signals.hpp"
#include "cli/standard_output.hpp"
#include "cli/version.hpp"
#include "cli/worker.hpp"

namespace virnucpro {
namespace {

constexpr const char* kDescription =
    "Tells viral from other sequences: reads FASTA, FASTQ, BAM, SAM or CRAM, cuts and translates\n"
    "it, and scores every stop-free reading frame with DNABERT-S, ESM-2 and a classifier.";
constexpr const char* kExamples =
    "Examples:\n"
    "  virnucpro predict reads.fq.gz --models-dir models -o out\n"
    "  virnucpro utils generate-config -o virnucpro.yaml\n"
    "  virnucpro -c virnucpro.yaml predict contigs.fa\n"
    "The options above are accepted before and after the command. virnucpro COMMAND --help, or\n"
    "virnucpro help COMMAND, describes a command.\n";

void add_global_options(CLI::App& app, GlobalOptions& global) {
  auto* verbose = app.add_flag("-v,--verbose", global.verbosity, "Say more; -vv: everything");
  app.add_flag("-q,--quiet", global.quiet, "Errors only, no progress")->excludes(verbose);
  add_value(app, "-l,--log-file", global.log_file, "Write the log to this file, too", "FILE");
  add_value(app, "-c,--config", global.config_file,
            "Configuration (YAML); virnucpro utils generate-config writes one", "FILE");
  app.set_version_flag(
      "--version", [&app] { return version_text(app.count("-v") > 0); },
      "The version; with -v: build, libraries and devices");
}

// Help lists them under this word.
void name_group(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    command->group("Commands");
    name_group(*command);
  }
}

// The command that the command line names, as deep as it goes.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::string near_one_of(std::string_view word, const std::vector<std::string>& known) {
  return did_you_mean(word, std::vector<std::string_view>(known.begin(), known.end()));
}

std::string explain_extra(const CLI::App& command, const std::string& extra) {
  if (extra.starts_with('-')) {
    const std::string flag = extra.substr(0, extra.find('='));
    return fmt::format("unknown flag {}{}", flag, near_one_of(flag, flag_names(command)));
  }
  if (command_names(command).empty()) return "unexpected argument " + extra;
  return explain_unknown_command(command, extra);
}

std::optional<LogLevel> level_of(std::string_view name) {
  if (name == "DEBUG") return LogLevel::kDebug;
  if (name == "INFO") return LogLevel::kInfo;
  if (name == "WARNING") return LogLevel::kWarning;
  if (name == "ERROR") return LogLevel::kError;
  return std::nullopt;
}

LogLevel choose_log_level(const GlobalOptions& global, const Config& config) {
  constexpr std::string_view kKey = "logging.default_level";
  if (global.quiet) return LogLevel::kError;
  if (global.verbosity > 1) return LogLevel::kDebug;
  if (global.verbosity == 1) return LogLevel::kInfo;
  const std::string set = config.text(kKey).value_or("WARNING");
  const auto level = level_of(set);
  if (!level) throw config.wrong_value(kKey, "DEBUG, INFO, WARNING or ERROR");
  return *level;
}

Config read_config(const GlobalOptions& global) {
  return global.config_file.empty() ? Config{} : Config::read(global.config_file);
}

void log_end(int code) {
  std::string_view how = "not in order";
  if (code == kExitDone) how = "done";
  if (code == kExitPartial) how = "partial, some input could not be processed";
  log_to_files(LogLevel::kInfo, fmt::format("ended: {}, exit code {}", how, code));
}

constexpr std::string_view kDateForm = "0000-00-00";

bool is_date(std::string_view text) {
  return std::equal(kDateForm.begin(), kDateForm.end(), text.begin(), text.end(),
                    [](char form, char given) {
                      return form == '0' ? '0' <= given && given <= '9' : given == form;
                    });
}

// A log goes on where an earlier one ended, but not in any other file: an input, for one.
void check_log_file(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at fails when it is opened
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return;
  const std::string start = beginning_of(path, kDateForm.size());
  if (!start.empty() && !is_date(start)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--log-file {}: it is there and is no log of this program", path));
  }
}

int run_action(const Program& program, std::span<const char* const> arguments,
               const Cancel& cancel) {
  Session session{program.global(),
                  read_config(program.global()),
                  Environment::of_process(),
                  cancel,
                  {arguments.begin(), arguments.end()}};
  check_log_file(session.global.log_file);
  start_log(choose_log_level(session.global, session.config), session.global.log_file);
  log_info("{}, process {}", version_text(false), ::getpid());
  log_info("command line: {}", fmt::join(session.arguments, " "));
  for (const std::string& warning : session.config.warnings()) log_warning("{}", warning);
  for (const std::string& note : session.config.notes()) log_info("{}", note);
  const int code = program.action()(session);
  log_end(code);
  return code;
}

int parse_and_run(Program& program, int argc, const char* const* argv, const Cancel& cancel) {
  if (is_worker({argv, static_cast<std::size_t>(argc)})) return run_worker();
  try {
    program.app().parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_stdout(program.app().help());
    return kExitDone;
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + "\n");
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage, explain_usage(program.app(), error));
  }
  return run_action(program, {argv, static_cast<std::size_t>(argc)}, cancel);
}

// As that of diff, compare's 1 says that both are there and differ: none of its failures may.
int exit_code_of(const Error& error, const Program& program) {
  const int code = error.info().exit_code;
  const bool is_compare = program.app().got_subcommand("compare");
  return is_compare && code == kExitDiffers ? error_info(ErrorKind::kNotComparable).exit_code
                                            : code;
}

int report(const Error& error, const Program& program) {
  log_error("{}", error.what());
  const int code = exit_code_of(error, program);
  log_to_files(LogLevel::kInfo, fmt::format("ended: {}, exit code {}", error.info().name, code));
  // Remedies for output are about files and their disks.
  if (error.place().file == kStandardOutput) return code;
  terminal_print(fmt::format("  {}", error.remedy()));
  return code;
}

// A file of ours opened under the number of a standard stream that is closed would be read as input
// or get messages written into it. What stands there instead can be neither read nor written, so
// that using it stays an error.
void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // The lowest free number is this one. Without /dev/null nothing can be done about it.
    static_cast<void>(::open("/dev/null", mode));
  }
}

}  // namespace

Program::Program() : app_(kDescription, "virnucpro") {
  // Commands take these three over from the program when they are added, so they come first.
  app_.fallthrough();
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "Show this help");
  app_.require_subcommand(1);
  add_global_options(app_, global_);
  add_predict_command(app_, action_);
  add_export_command(app_, action_);
  add_merge_command(app_, action_);
  add_report_command(app_, action_);
  add_compare_command(app_, action_);
  add_embed_command(app_, action_);
  add_benchmark_command(app_, action_);
  add_profile_command(app_, action_);
  add_tune_command(app_, action_);
  add_generate_command(app_, action_);
  add_utils_commands(app_, action_);
  add_help_command(app_, action_);
  name_group(app_);
  app_.footer(kExamples);  // last: it is for the program alone
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string explain_unknown_command(const CLI::App& app, const std::string& name) {
  return fmt::format("unknown command {}{}", name, near_one_of(name, command_names(app)));
}

std::string explain_usage(CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) return explain_extra(command, extras.front());
  }
  const std::vector<std::string> commands = command_names(command);
  if (required && !commands.empty()) {
    return fmt::format("a command is needed: {}", fmt::join(commands, ", "));
  }
  std::string text = error.what();  // "--threads: 1 required N missing"
  const bool needs_value = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  if (needs_value && text.ends_with(" missing")) {
    return fmt::format("{} needs a value", text.substr(0, text.find(':')));
  }
  return text;
}

int run_program(int argc, const char* const* argv) {
  occupy_standard_descriptors();
  static Cancel cancel;  // a signal may come as long as the process lives
  handle_signals(cancel);
  Program program;
  try {
    start_log(LogLevel::kWarning, {});
    return parse_and_run(program, argc, argv, cancel);
  } catch (const std::exception& exception) {
    return report(error_of(exception), program);
  }
}

}  // namespace virnucpro

#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/help.hpp"
#include "cli/named_files.hpp"
#include "cli/output.hpp"
#include "cli/scarce_memory.hpp"
#include "cli/signals.hpp"
#include "cli/version.hpp"
#include "engine/worker_serve.hpp"
#include "run/start_models.hpp"

namespace virnucpro {
namespace {

constexpr const char* kDescription =
    "Tells viral from other sequences: scores every stop-free reading frame with DNABERT-S, ESM-2 "
    "and a classifier. virnucpro COMMAND --help describes a command.";
constexpr const char* kGlobalGroup = "Options, before or after the command";
constexpr const char* kProgramExamples =
    "Examples:\n"
    "  virnucpro predict reads.fq.gz -m 300 -o out\n"
    "  virnucpro -c virnucpro.yaml predict contigs.fa";

void add_global_options(Command& program, GlobalOptions& global) {
  program.add_option("-v,--verbose", &global.verbose, "Show more messages");
  program.add_flag("-q,--quiet", global.quiet, "Errors only, no progress").excludes = "--verbose";
  program.add_value("-l,--log-file", global.log_file, "Write the log to this file, too", "FILE")
      .written = {""};
  program.add_value("-c,--config", global.config_file,
                    "Configuration file (YAML); see utils generate-config", "FILE");
  program.add_option("--version", Ask::kVersion, "The version; -v: also build, libraries, devices");
  program.add_option("--help-all", Ask::kHelpAll, "After a command: all its options");
  program.add_option("--help-v2", Ask::kHelpV2, "After a command: its flags of v2");
  for (OptionRow& row : program.options) row.group = kGlobalGroup;
}

std::optional<LogLevel> level_of(std::string_view name) {
  if (name == "DEBUG" || name == "INFO") return LogLevel::kInfo;
  if (name == "WARNING") return LogLevel::kWarning;
  if (name == "ERROR") return LogLevel::kError;
  return std::nullopt;
}

LogLevel choose_log_level(const GlobalOptions& global, const Config& config) {
  constexpr std::string_view kKey = "logging.default_level";
  if (global.quiet) return LogLevel::kError;
  if (global.verbose) return LogLevel::kInfo;
  const std::string set = config.text(kKey).value_or("WARNING");
  const auto level = level_of(set);
  if (!level) throw config.wrong_value(kKey, "DEBUG, INFO, WARNING or ERROR");
  return *level;
}

Config read_config(const GlobalOptions& global) {
  return global.config_file.empty() ? Config{} : Config::read(global.config_file);
}

void log_end(int code) {
  std::string_view how = "problems or differences were found";
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

// Refuses the path of a log if runs write a file of this name. An earlier log is continued; any
// other existing file, such as an input, is refused.
void check_log_file(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (has_name_of_run_file(name)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--log-file {}: runs write a file of that name; name another file", path));
  }
  std::error_code ignored;  // on an error, opening the file will fail
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return;
  const std::string start = beginning_of(path, kDateForm.size());
  if (!start.empty() && !is_date(start)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "--log-file {}: this file exists and is not a log of this program; name another file",
            path));
  }
}

int run_action(const Program& program, std::span<const char* const> arguments,
               const Cancel& cancel) {
  Session session{program.global(),
                  read_config(program.global()),
                  Environment::of_process(),
                  cancel,
                  {arguments.begin(), arguments.end()}};
  require_distinct_files(program.commands(), session.config, session.environment);
  check_log_file(session.global.log_file);
  start_log(choose_log_level(session.global, session.config), session.global.log_file);
  log_info("{}, process {}", version_text(false), ::getpid());
  log_info("command line: {}", fmt::join(session.arguments, " "));
  for (const std::string& warning : session.config.warnings()) log_warning("{}", warning);
  for (const std::string& note : session.config.notes()) log_info("{}", note);
  const int code = chosen_command(program.commands()).action(session);
  log_end(code);
  return code;
}

// True for the command line of a worker process. Help, manual and completion do not mention it,
// because only this program starts workers.
bool is_worker(std::span<const char* const> arguments) {
  return arguments.size() == 2 && std::string_view(arguments[1]) == kWorkerArgument;
}

// Sets the process's name. Otherwise ps, top and pgrep would show the package's loader.
void name_process() {
  if (own_program().by_carried_loader) ::prctl(PR_SET_NAME, program_invocation_short_name);
}

std::string answer(Ask ask, const Command& program) {
  const Command& command = chosen_command(program);
  if (ask == Ask::kHelp) return help_text(command, HelpKind::kShort);
  if (ask == Ask::kHelpAll) return help_text(command, HelpKind::kAll);
  if (ask == Ask::kHelpV2) return help_v2_text(command, program);
  return version_text(program.find_option("-v")->times > 0) + "\n";
}

int parse_and_run(Program& program, std::span<const char* const> arguments, const Cancel& cancel) {
  if (is_worker(arguments)) {
    serve_batches(become_worker(), load_worker_models);
    return kExitDone;
  }
  Command& commands = program.commands();
  const std::optional<Ask> ask = parse_command_line(commands, arguments);
  if (!ask) return run_action(program, arguments, cancel);
  write_stdout(answer(*ask, commands));
  return kExitDone;
}

std::string help_line(const Command& command) {
  const bool is_cut = leaves_out(command);
  return fmt::format("See {} --help{}.", command.path, is_cut ? ", or --help-all" : "");
}

std::string remedy_of(const Error& error, const Command& command) {
  if (error.kind() == ErrorKind::kUsage && error.has_usual_remedy()) return help_line(command);
  const bool is_other = error.is(ErrorClass::kAdvisesResume) && !command.restart_advice.empty();
  return is_other ? command.restart_advice : std::string(error.remedy());
}

int report(const Error& error, const Command& command) {
  log_error("{}", error.what());
  const int usual = error.info().exit_code;
  const int code = usual == kExitFailure ? command.exit_code_for_1 : usual;
  // Shows no remedy for errors of standard output, because remedies are about files and disks.
  const bool is_helped = error.place().file != kStandardOutput;
  const std::string remedy = is_helped ? remedy_of(error, command) : "";
  const auto lines = split_list(remedy, '\n');
  if (is_helped)
    log_to_files(LogLevel::kInfo, fmt::format("what to do: {}", fmt::join(lines, " ")));
  log_to_files(LogLevel::kInfo, fmt::format("ended: {}, exit code {}", error.info().name, code));
  if (is_helped) terminal_print(fmt::format("  {}", fmt::join(lines, "\n  ")));
  return code;
}

// Opens /dev/null in place of a closed standard stream. Otherwise the next file that we open would
// get the stream's number, and would be read as input or get messages written into it. The mode
// forbids reading stdin and writing stdout, so using the closed stream remains an error.
void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // open() returns the lowest free number, `number`. It may fail if /dev/null is missing.
    static_cast<void>(::open("/dev/null", mode));
  }
}

}  // namespace

Program::Program(std::span<const AddCommand> commands) : commands_("virnucpro", kDescription) {
  commands_.footer = kProgramExamples;
  add_global_options(commands_, global_);
  for (const AddCommand add_command : commands) add_command(commands_);
  add_help_command(commands_);
}

void add_utils_commands(Command& program) {
  Command& utils =
      program.add_command("utils", "Tools for devices, inputs, models, journals, configuration");
  add_validate_command(utils);
  add_inspect_command(utils);
  add_list_devices_command(utils);
  add_generate_config_command(utils);
  add_validate_checkpoints_command(utils);
  add_export_weights_command(utils);
  utils.footer = "Example:\n  virnucpro utils validate reads.fq.gz";
}

int run_program(int argc, const char* const* argv, std::span<const AddCommand> commands) {
  prepare_for_scarce_memory();
  occupy_standard_descriptors();
  static Cancel cancel;  // static: a signal may use it until the process ends
  handle_signals(cancel);
  Program program(commands);
  try {
    start_log(LogLevel::kWarning, {});
    name_process();
    enlarge_stacks();
    return parse_and_run(program, {argv, static_cast<std::size_t>(argc)}, cancel);
  } catch (const std::exception& exception) {
    return report(error_of(exception), chosen_command(program.commands()));
  }
}

}  // namespace virnucpro

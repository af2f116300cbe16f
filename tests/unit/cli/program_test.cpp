#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "base/error.hpp"

namespace virnucpro {
namespace {

ErrorKind thrown_by_commands{};

Command& add_failing(Command& program, const char* name) {
  Command& command = program.add_command(name, "Fail");
  command.action = [](Session& /*session*/) -> int {
    throw Error(thrown_by_commands, "on demand");
  };
  return command;
}

void add_plain(Command& program) {
  add_failing(program, "plain");
}

void add_resuming(Command& program) {
  add_failing(program, "resuming").restart_advice.clear();
}

void add_own(Command& program) {
  Command& command = add_failing(program, "own");
  command.exit_code_for_1 = 3;
  command.restart_advice = "Begin anew.";
}

[[noreturn]] void run(const char* command, ErrorKind kind) {
  thrown_by_commands = kind;
  constexpr std::array<AddCommand, 3> kCommands{add_plain, add_resuming, add_own};
  const std::array<const char*, 2> arguments{"virnucpro", command};
  std::_Exit(run_program(2, arguments.data(), kCommands));
}

TEST(Program, EndsWithTheErrorsExitCode) {
  EXPECT_EXIT(run("plain", ErrorKind::kInternal), testing::ExitedWithCode(1), "on demand");
  EXPECT_EXIT(run("plain", ErrorKind::kOutOfMemory), testing::ExitedWithCode(4), "on demand");
}

TEST(Program, KeepsTheCode1OfACommandThatReturnsIt) {
  EXPECT_EXIT(run("own", ErrorKind::kInternal), testing::ExitedWithCode(3), "on demand");
  EXPECT_EXIT(run("own", ErrorKind::kNotComparable), testing::ExitedWithCode(2), "on demand");
}

TEST(Program, NamesTheHelpOfTheCommand) {
  EXPECT_EXIT(run("plain", ErrorKind::kUsage), testing::ExitedWithCode(1),
              "See virnucpro plain --help");
}

TEST(Program, AdvisesToResumeOnlyForACommandThatCan) {
  EXPECT_EXIT(run("plain", ErrorKind::kInterrupted), testing::ExitedWithCode(130),
              "Run the command again, from the beginning");
  EXPECT_EXIT(run("resuming", ErrorKind::kInterrupted), testing::ExitedWithCode(130),
              "predict --resume continues the run");
  EXPECT_EXIT(run("own", ErrorKind::kWorkersLost), testing::ExitedWithCode(3), "Begin anew");
  EXPECT_EXIT(run("own", ErrorKind::kOutputWrite), testing::ExitedWithCode(3),
              "Solve that problem");
}

}  // namespace
}  // namespace virnucpro

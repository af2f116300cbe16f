#include "measure/timing/child_program.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/time.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

class ChildProgram : public ::testing::Test {
 protected:
  ChildCall shell(const std::string& script) const {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .log = log()};
  }
  std::filesystem::path log() const { return folder_.path() / "log"; }

  const TemporaryFolder folder_;
  Cancel cancel_;
};

TEST_F(ChildProgram, TellsHowItEndedAndHowLongItTook) {
  const ChildEnd end = run_child(shell("sleep 0.2; exit 3"), cancel_);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_GE(end.seconds, 0.2);
  EXPECT_LT(end.seconds, 5);
  EXPECT_GT(end.peak_rss_bytes, 0U);
}

TEST_F(ChildProgram, CountsProcessorTime) {
  const ChildEnd end =
      run_child(shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"), cancel_);
  EXPECT_GT(end.cpu_seconds, 0.01);
}

TEST_F(ChildProgram, TellsASignalAsAShellDoes) {
  EXPECT_EQ(run_child(shell("kill -9 $$"), cancel_).exit_code, 128 + SIGKILL);
}

TEST_F(ChildProgram, KeepsWhatItSays) {
  run_child(shell("echo one; echo two >&2; echo; echo three; echo four"), cancel_);
  EXPECT_EQ(last_lines(log()), "two; three; four");
}

TEST_F(ChildProgram, GivesVariablesInPlaceOfItsOwn) {
  const ScopedVariable own("VIRNUCPRO_TEST_CHILD", "own");
  ChildCall call = shell("echo $VIRNUCPRO_TEST_CHILD $OTHER");
  call.variables = {{"VIRNUCPRO_TEST_CHILD", "given"}, {"OTHER", "too"}};
  run_child(call, cancel_);
  EXPECT_EQ(last_lines(log()), "given too");
}

TEST_F(ChildProgram, NamesAProgramThatIsNotThere) {
  ChildCall call = shell("");
  call.program = "/no/such/program";
  const Error error = thrown([&] { run_child(call, cancel_); });
  EXPECT_EQ(error.kind(), ErrorKind::kInputMissing);
  EXPECT_EQ(error.place().file, "/no/such/program");
}

// Requests a stop shortly after the child was started.
class StopSoon {
 public:
  explicit StopSoon(Cancel& cancel)
      : thread_([&cancel] {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          cancel.request(SIGINT);
        }) {}
  ~StopSoon() { thread_.join(); }
  StopSoon(const StopSoon&) = delete;
  StopSoon& operator=(const StopSoon&) = delete;

 private:
  std::thread thread_;
};

TEST_F(ChildProgram, StopsWithThisOne) {
  const StopSoon stop(cancel_);
  const StopWatch watch;
  EXPECT_THROW(run_child(shell("exec sleep 60"), cancel_), Error);
  EXPECT_LT(watch.seconds(), 3);
}

TEST_F(ChildProgram, IsKilledWhenItDoesNotStop) {
  const StopSoon stop(cancel_);
  ChildCall call = shell("trap '' TERM; while true; do sleep 0.1; done");
  EXPECT_EQ(call.patience, Cancel::kGrace + std::chrono::seconds(2));
  call.patience = std::chrono::milliseconds(300);
  const StopWatch watch;
  EXPECT_THROW(run_child(call, cancel_), Error);
  EXPECT_GT(watch.seconds(), 0.3);
  EXPECT_LT(watch.seconds(), 3);
}

}  // namespace
}  // namespace virnucpro

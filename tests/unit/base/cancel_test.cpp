#include "base/cancel.hpp"

#include <gmock/gmock.h>

#include <csignal>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(Cancel, ThrowsTheKindOfItsSignal) {
  Cancel cancel;
  EXPECT_NO_THROW(cancel.check());
  const auto error_after = [](int signal) {
    Cancel asked;
    asked.request(signal);
    try {
      asked.check();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::kInternal, "");
  };
  EXPECT_EQ(error_after(SIGINT).kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(error_after(SIGTERM).kind(), ErrorKind::kTerminated);
  EXPECT_EQ(error_after(SIGTERM).detail(), "by SIGTERM");
  EXPECT_EQ(error_after(SIGHUP).kind(), ErrorKind::kTerminated);
  EXPECT_THAT(error_after(SIGHUP).detail(), testing::StartsWith("by SIGHUP"));
}

TEST(Cancel, ASignalSoonAfterSigtermRepeatsTheRequest) {
  Cancel cancel;
  EXPECT_FALSE(cancel.repeats(SIGTERM));
  cancel.request(SIGTERM);
  EXPECT_TRUE(cancel.repeats(SIGTERM));
  EXPECT_TRUE(cancel.repeats(SIGINT));
}

TEST(Cancel, SigtermAloneRepeatsAnInterrupt) {
  Cancel cancel;
  cancel.request(SIGINT);
  EXPECT_FALSE(cancel.repeats(SIGINT));
  EXPECT_TRUE(cancel.repeats(SIGTERM));
}

TEST(Cancel, ALaterSignalIsAnotherRequest) {
  for (const int first : {SIGINT, SIGTERM}) {
    Cancel cancel;
    cancel.request_now(first);  // it counts as asked for three seconds ago
    EXPECT_FALSE(cancel.repeats(SIGINT));
    EXPECT_FALSE(cancel.repeats(SIGTERM));
  }
}

TEST(Cancel, NoSignalRepeatsAStopThatIsNotTheUsers) {
  Cancel cancel;
  cancel.request(0);
  EXPECT_FALSE(cancel.repeats(SIGINT));
  EXPECT_FALSE(cancel.repeats(SIGTERM));
}

}  // namespace
}  // namespace virnucpro

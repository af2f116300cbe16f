#include "base/cancel.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(Cancel, ThrowsTheKindOfItsSignal) {
  Cancel cancel;
  EXPECT_NO_THROW(cancel.check());
  const auto kind_after = [](int signal) {
    Cancel asked;
    asked.request(signal);
    try {
      asked.check();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kInternal;
  };
  EXPECT_EQ(kind_after(SIGINT), ErrorKind::kInterrupted);
  EXPECT_EQ(kind_after(SIGTERM), ErrorKind::kTerminated);
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

#include "cli/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include "base/directory.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

// Ends with 0 when it outlived the signals and was asked to stop.
[[noreturn]] void get_signals(std::initializer_list<int> numbers) {
  static Cancel cancel;
  handle_signals(cancel);
  for (const int number : numbers) std::raise(number);
  std::_Exit(cancel.requested() ? 0 : 1);
}

TEST(Signals, SigintTwiceEndsTheProcessAtOnce) {
  EXPECT_EXIT(get_signals({SIGINT, SIGINT}), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(get_signals({SIGINT, SIGTERM, SIGINT}), testing::ExitedWithCode(130), "");
}

TEST(Signals, AtOnceMeansALineAndNoTemporaryFolder) {
  const TempDir place;
  const auto end_with_a_folder = [&place] {
    const ScopedVariable set("TMPDIR", place.path().string());
    const TemporaryFolder folder;
    write_text(folder.path() / "run.db", "scores");
    get_signals({SIGINT, SIGINT});
  };
  EXPECT_EXIT(end_with_a_folder(), testing::ExitedWithCode(130),
              "^virnucpro: ended at once by a second signal; what was not yet saved is lost\n$");
  EXPECT_EQ(place.entries(), 0U);
}

TEST(Signals, OneRequestInTwoSignals) {
  EXPECT_EXIT(get_signals({SIGINT, SIGTERM}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(get_signals({SIGTERM, SIGINT}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(get_signals({SIGTERM, SIGHUP}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(get_signals({SIGINT, SIGHUP}), testing::ExitedWithCode(0), "");
}

TEST(Signals, SigintCountsThoughItWasIgnored) {
  const auto start_in_background = [] {
    std::signal(SIGINT, SIG_IGN);
    get_signals({SIGINT});
  };
  EXPECT_EXIT(start_in_background(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace virnucpro

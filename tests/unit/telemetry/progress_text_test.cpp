#include "telemetry/progress_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace virnucpro {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

RunProgress half_way() {
  RunProgress progress;
  progress.seconds = 640;
  progress.stage = ProgressStage::kScoring;
  progress.percent = 47.39;
  progress.seconds_left = 725.9;
  progress.sequences = 1234;
  progress.sequences_total = 2600;
  progress.sequences_per_second = 19.04;
  progress.all = {.tokens_per_second = 1100.4, .gpu_percent = 93.2, .packing_percent = 97.1};
  return progress;
}

RunProgress on_four_gpus() {
  RunProgress progress = half_way();
  progress.workers.assign(4,
                          {.tokens_per_second = 275.1, .gpu_percent = 93, .packing_percent = 97});
  return progress;
}

ProgressLook four_gpus() {
  return {.workers = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"}};
}

TEST(PlainProgress, IsOneLine) {
  EXPECT_EQ(plain_progress(half_way()),
            "0:10:40 · 47.3 % · ETA 0:12:05 · 1,234 of ~2,600 sequences · 19.0 sequences/s · "
            "1,100 tokens/s · GPU 93 % · packed 97 %");
}

TEST(PlainProgress, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(plain_progress({.seconds = 3}), "0:00:03 · starting");
  EXPECT_EQ(plain_progress({.seconds = 3, .stage = ProgressStage::kScoring, .sequences = 12}),
            "0:00:03 · 12 sequences");
}

TEST(PlainProgress, IsExactOnceAllIsRead) {
  RunProgress progress = half_way();
  progress.all_read = true;
  EXPECT_THAT(plain_progress(progress), HasSubstr("1,234 of 2,600 sequences"));
}

TEST(PlainProgress, SaysThatItFinishes) {
  RunProgress progress = half_way();
  progress.stage = ProgressStage::kFinishing;
  progress.percent = 100;
  progress.seconds_left.reset();
  const std::string line = plain_progress(progress);
  EXPECT_THAT(line, HasSubstr("100.0 % · "));
  EXPECT_THAT(line, HasSubstr("finishing"));
  EXPECT_THAT(line, Not(HasSubstr("ETA")));
}

TEST(PlainProgress, TellsTimesOfAnyLength) {
  RunProgress progress = half_way();
  progress.seconds_left = 1e300;
  EXPECT_THAT(plain_progress(progress), HasSubstr("ETA 1000000:00:00"));
}

TEST(LiveProgress, FillsATerminal) {
  EXPECT_THAT(
      live_progress(half_way(), {}, {.columns = 80, .rows = 24}),
      ElementsAre("[==========================>                             ] 47.3 % · ETA 0:12:05",
                  "0:10:40 · 1,234 of ~2,600 sequences · 19.0 sequences/s · 1,100 tokens/s",
                  "GPU 93 % · packed 97 %"));
}

TEST(LiveProgress, MakesTheBarNoWiderThanAsked) {
  EXPECT_THAT(live_progress(half_way(), {.bar_width = 12}, {.columns = 200, .rows = 24}).front(),
              "[====>     ] 47.3 % · ETA 0:12:05");
  EXPECT_THAT(live_progress(half_way(), {.bar_width = 0}, {.columns = 200, .rows = 24}).front(),
              "47.3 % · ETA 0:12:05");
}

TEST(LiveProgress, HasNoBarWithoutATotal) {
  RunProgress progress = half_way();
  progress.percent.reset();
  progress.seconds_left.reset();
  progress.sequences_total.reset();
  EXPECT_THAT(live_progress(progress, {}, {}).front(),
              StartsWith("0:10:40 · 1,234 sequences · 19.0 sequences/s"));
}

TEST(LiveProgress, HasALineForEachOfSeveralDevices) {
  const auto lines = live_progress(on_four_gpus(), four_gpus(), {.columns = 80, .rows = 24});
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[3], "cuda:0 · 275 tokens/s · GPU 93 % · packed 97 %");
  EXPECT_THAT(lines[6], StartsWith("cuda:3 · "));
  RunProgress one = half_way();
  one.workers = {one.all};
  EXPECT_EQ(live_progress(one, {.workers = {"cuda:0"}}, {}).size(), 3U);
}

TEST(LiveProgress, SaysHowManyDevicesItHasNoRoomFor) {
  const auto lines = live_progress(on_four_gpus(), four_gpus(), {.columns = 80, .rows = 5});
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[3], StartsWith("cuda:0 · "));
  EXPECT_EQ(lines[4], "… 3 more");
}

TEST(LiveProgress, FitsEveryWindow) {
  for (std::size_t columns = 1; columns < 120; ++columns) {
    for (std::size_t rows = 1; rows < 12; ++rows) {
      const auto lines = live_progress(on_four_gpus(), four_gpus(), {columns, rows});
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) EXPECT_LT(count_letters(line), columns);
    }
  }
}

}  // namespace
}  // namespace virnucpro

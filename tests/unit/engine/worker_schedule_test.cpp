#include "engine/worker_schedule.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Frame = std::pair<std::uint64_t, std::uint32_t>;  // a batch and its place in it

constexpr std::uint64_t kBudget = 1000;

// Runs a schedule and carries out its actions as a pool would, with a clock that only the test
// moves.
struct Schedule {
  explicit Schedule(const WorkerSchedule::Settings& settings) : schedule(settings) {
    tick();
    for (std::size_t worker = 0; worker < settings.workers; ++worker) get_ready(worker);
  }

  // Frames of ten tokens.
  void submit(std::uint64_t batch, std::uint32_t frames) {
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t i = 0; i <= frames; ++i) offsets.push_back(10 * i);
    schedule.submit(batch, offsets, offsets, now);
    look();
  }
  void tick() {
    schedule.tick(now);
    look();
  }
  void wait(double seconds) {
    now += seconds;
    tick();
  }
  void get_ready(std::size_t worker, bool right = true, std::size_t depth = 1) {
    ASSERT_EQ(started.erase(worker), 1U) << "worker " << worker << " was not started";
    schedule.ready(worker, kBudget, depth, now);
    look();
    answer_canary(worker, right);
  }
  void answer_canary(std::size_t worker, bool right) {
    ASSERT_EQ(canaries.erase(worker), 1U);
    schedule.canary_answered(worker, right, now);
    look();
  }
  // A worker answers its oldest part.
  WorkerSchedule::Acceptance answer(std::size_t worker, std::vector<std::uint32_t> nan = {}) {
    auto& parts = flying[worker];
    const auto [id, part] = parts.front();
    parts.erase(parts.begin());
    const auto acceptance = schedule.answered(worker, id, nan, kBudget, now);
    if (acceptance.accepted) {
      for (std::uint32_t frame = part.begin; frame < part.end; ++frame) {
        EXPECT_TRUE(done.emplace(part.batch, frame).second) << "answered twice";
      }
      for (const std::uint32_t frame : acceptance.given_up) {
        given_up.emplace(part.batch, part.begin + frame);
      }
    }
    look();
    return acceptance;
  }
  bool out_of_memory(std::size_t worker, std::uint64_t budget) {
    auto& parts = flying[worker];
    const auto [id, part] = parts.front();
    parts.erase(parts.begin());
    const bool goes_on = schedule.out_of_memory(worker, id, budget, now);
    look();
    return goes_on;
  }
  void lose(std::size_t worker, std::size_t unsent = 0) {
    schedule.lost(worker, "it died", now, unsent);
    look();
  }
  void lose_and_bring_back(std::size_t worker, std::size_t unsent = 0) {
    lose(worker, unsent);
    bring_back();
  }
  // The worker, started again, begins two batches of a frame together.
  void begin_two() {
    lose(0);
    wait(1);
    get_ready(0, true, 2);
    for (const std::uint64_t batch : {1U, 2U}) submit(batch, 1);
  }
  // Restarts every worker that waits for it; each computes the canary.
  void bring_back() {
    wait(100);
    for (const std::size_t worker : std::set(started)) get_ready(worker);
  }

  void look() {
    for (const auto& action : schedule.next_actions()) {
      std::visit([this](const auto& one) { note(one); }, action);
    }
  }
  void note(const WorkerSchedule::Start& start) { started.insert(start.worker); }
  void note(const WorkerSchedule::Kill& kill) {
    flying[kill.worker].clear();
    canaries.erase(kill.worker);
    reasons.push_back(kill.reason);
    delays.push_back(kill.delay.value_or(-1));
    if (!kill.delay) dropped.push_back(kill.worker);
  }
  void note(const WorkerSchedule::SendCanary& canary) { canaries.insert(canary.worker); }
  void note(const WorkerSchedule::SendPart& part) {
    flying[part.worker].emplace_back(part.id, part.part);
  }
  void note(const WorkerSchedule::GiveUp& frame) {
    EXPECT_EQ(frame.part.frames(), 1U);
    EXPECT_TRUE(given_up.emplace(frame.part.batch, frame.part.begin).second);
    EXPECT_TRUE(done.emplace(frame.part.batch, frame.part.begin).second);
  }
  void note(const WorkerSchedule::End& end) { ended = end.reason; }

  std::vector<std::uint64_t> batches_at(std::size_t worker) {
    std::vector<std::uint64_t> batches;
    for (const auto& [id, part] : flying[worker]) batches.push_back(part.batch);
    return batches;
  }

  WorkerSchedule schedule;
  double now = 0;
  std::set<std::size_t> started;
  std::set<std::size_t> canaries;
  std::map<std::size_t, std::vector<std::pair<std::uint64_t, BatchPart>>> flying;
  std::set<Frame> done;
  std::set<Frame> given_up;
  std::vector<std::string> reasons;
  std::vector<double> delays;
  std::vector<std::size_t> dropped;
  std::string ended;
};

TEST(WorkerSchedule, StartsAllAndAsksEachTheCanaryFirst) {
  WorkerSchedule schedule({.workers = 2});
  EXPECT_THAT(schedule.next_actions(), IsEmpty());
  schedule.tick(0);
  EXPECT_EQ(schedule.next_actions().size(), 2U);
  schedule.submit(1, {0, 1}, {0, 1}, 0);
  schedule.ready(0, kBudget, 1, 1);
  const auto actions = schedule.next_actions();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<WorkerSchedule::SendCanary>(actions[0]).worker, 0U);
  EXPECT_FALSE(schedule.all_ready());
  schedule.canary_answered(0, true, 1);
  EXPECT_EQ(std::get<WorkerSchedule::SendPart>(schedule.next_actions().at(0)).part,
            (BatchPart{.batch = 1, .begin = 0, .end = 1}));
}

TEST(WorkerSchedule, GivesTheNextBatchToTheOneWithTheFewest) {
  Schedule s({.workers = 2, .prefetch = 1});
  for (std::uint64_t batch = 1; batch <= 6; ++batch) s.submit(batch, 2);
  EXPECT_THAT(s.batches_at(0), ElementsAre(1, 3));
  EXPECT_THAT(s.batches_at(1), ElementsAre(2, 4));
  // Each worker at its own pace.
  s.answer(1);
  s.answer(1);
  EXPECT_THAT(s.batches_at(0), ElementsAre(1, 3));
  EXPECT_THAT(s.batches_at(1), ElementsAre(5, 6));
}

TEST(WorkerSchedule, GivesTheBatchesOfALostOneToOthersInTheirOrder) {
  Schedule s({.workers = 2, .prefetch = 2});
  for (std::uint64_t batch = 1; batch <= 6; ++batch) s.submit(batch, 1);
  EXPECT_THAT(s.batches_at(0), ElementsAre(1, 3, 5));
  s.lose(0);
  EXPECT_THAT(s.batches_at(1), ElementsAre(2, 4, 6));
  // The part that worker 0 had begun is a suspect: computed alone, on the other worker.
  for (int i = 0; i < 3; ++i) s.answer(1);
  EXPECT_THAT(s.batches_at(1), ElementsAre(1));
  s.answer(1);
  EXPECT_THAT(s.batches_at(1), ElementsAre(3, 5));
  s.answer(1);
  s.answer(1);
  EXPECT_EQ(s.done.size(), 6U);
  EXPECT_THAT(s.given_up, IsEmpty());
}

TEST(WorkerSchedule, StartsALostOneAgainLaterEachTimeAndDropsItAfterThree) {
  Schedule s({.workers = 2});
  s.lose(0);
  EXPECT_THAT(s.started, IsEmpty());
  s.wait(0.4);
  EXPECT_THAT(s.started, IsEmpty());
  s.wait(0.2);
  s.get_ready(0);
  s.lose(0);
  s.wait(0.6);
  EXPECT_THAT(s.started, IsEmpty());
  s.wait(0.5);
  s.get_ready(0);
  s.lose(0);
  EXPECT_THAT(s.delays, ElementsAre(0.5, 1, -1));
  EXPECT_THAT(s.dropped, ElementsAre(0));
  EXPECT_EQ(s.ended, "");
  s.wait(1000);
  EXPECT_THAT(s.started, IsEmpty());
  EXPECT_TRUE(s.schedule.all_ready());
}

TEST(WorkerSchedule, ForgetsStrikesAtAGoodBatch) {
  Schedule s({.workers = 1});
  for (std::uint64_t round = 1; round < 10; ++round) {
    s.lose_and_bring_back(0);
    s.submit(round, 1);
    s.answer(0);
  }
  EXPECT_THAT(s.dropped, IsEmpty());
  EXPECT_EQ(s.done.size(), 9U);
}

TEST(WorkerSchedule, EndsWithTheLastOnesWords) {
  Schedule s({.workers = 2, .strikes = 1});
  s.lose(1);
  EXPECT_EQ(s.ended, "");
  s.schedule.lost(0, "no more power", s.now);
  s.look();
  EXPECT_EQ(s.ended, "no more power");
}

TEST(WorkerSchedule, TakesAWrongCanaryForALossButBlamesNoBatch) {
  Schedule s({.workers = 2, .prefetch = 0, .parts_between_canaries = 2});
  for (std::uint64_t batch = 1; batch <= 8; ++batch) s.submit(batch, 1);
  while (s.canaries.count(0) == 0) s.answer(0);
  s.answer_canary(0, false);
  EXPECT_THAT(s.reasons, ElementsAre(HasSubstr("test batch")));
  while (!s.flying[1].empty()) {
    if (s.canaries.count(1) > 0) s.answer_canary(1, true);
    s.answer(1);
  }
  EXPECT_EQ(s.done.size(), 8U);
}

TEST(WorkerSchedule, FindsTheFrameThatKillsEveryWorker) {
  for (const std::size_t workers : {1U, 2U, 3U}) {
    for (const std::uint32_t bad : {0U, 5U, 12U}) {
      Schedule s({.workers = workers});
      for (std::uint64_t batch = 1; batch <= 4; ++batch) s.submit(batch, 13);
      for (int round = 0; round < 1000 && s.done.size() < 4 * 13U; ++round) {
        bool moved = false;
        for (std::size_t worker = 0; worker < workers; ++worker) {
          if (s.flying[worker].empty()) continue;
          moved = true;
          const BatchPart part = s.flying[worker].front().second;
          const bool is_bad = part.batch == 2 && part.begin <= bad && bad < part.end;
          if (is_bad) {
            s.lose(worker);
          } else {
            s.answer(worker);
          }
        }
        if (!moved) s.bring_back();
      }
      EXPECT_EQ(s.done.size(), 4 * 13U) << workers << " " << bad;
      EXPECT_THAT(s.given_up, ElementsAre(Frame(2, bad)));
      EXPECT_THAT(s.dropped, IsEmpty()) << "the batch was to blame";
      EXPECT_EQ(s.ended, "");
    }
  }
}

TEST(WorkerSchedule, BlamesNoneOfSeveralThatWereBegunTogether) {
  // Two are begun at a time: only when each was alone is it known which one was the cause.
  Schedule s({.workers = 1, .prefetch = 0});
  s.begin_two();
  EXPECT_THAT(s.batches_at(0), ElementsAre(1, 2));
  s.lose_and_bring_back(0);
  EXPECT_THAT(s.batches_at(0), ElementsAre(1)) << "alone";
  s.answer(0);
  EXPECT_THAT(s.batches_at(0), ElementsAre(2));
  s.lose_and_bring_back(0);
  EXPECT_THAT(s.batches_at(0), ElementsAre(2));
  EXPECT_THAT(s.given_up, IsEmpty()) << "only one worker was lost with it alone";
  s.lose(0);
  EXPECT_THAT(s.given_up, ElementsAre(Frame(2, 0)));
}

TEST(WorkerSchedule, BlamesNoFrameThatItsWorkerNeverGot) {
  Schedule s({.workers = 4, .prefetch = 1});
  s.submit(1, 1);
  for (int round = 0; round < 100 && s.ended.empty(); ++round) {
    for (std::size_t worker = 0; worker < 4; ++worker) {
      if (!s.flying[worker].empty()) s.lose(worker, s.flying[worker].size());
    }
    s.bring_back();
  }
  EXPECT_THAT(s.given_up, IsEmpty());
  EXPECT_EQ(s.dropped.size(), 4U) << "and all strikes are the workers'";
  EXPECT_EQ(s.ended, "it died");
}

TEST(WorkerSchedule, BlamesWhatReachedTheWorkerAndNotWhatIsBehindIt) {
  Schedule s({.workers = 1, .prefetch = 0, .strikes = 9});
  s.begin_two();
  s.lose_and_bring_back(0, 1);
  EXPECT_THAT(s.batches_at(0), ElementsAre(1));
  s.lose(0);
  EXPECT_THAT(s.given_up, IsEmpty()) << "nothing was answered yet";
  s.bring_back();
  s.lose_and_bring_back(0);
  EXPECT_THAT(s.batches_at(0), ElementsAre(2)) << "lost with it for the first time";
  s.answer(0);
  EXPECT_THAT(s.given_up, ElementsAre(Frame(1, 0))) << "two were lost with it alone";
}

// Loses every worker that has a part, many times.
void lose_all(Schedule& s, std::size_t workers) {
  for (int round = 0; round < 200 && s.ended.empty(); ++round) {
    for (std::size_t worker = 0; worker < workers && s.ended.empty(); ++worker) {
      if (!s.flying[worker].empty()) s.lose(worker);
    }
    if (s.ended.empty()) s.bring_back();
  }
}

TEST(WorkerSchedule, EndsWhereNothingButLossesComeAndGivesUpNoFrame) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (const std::uint32_t frames : {1U, 2U, 7U, 100U}) {
      Schedule s({.workers = workers, .prefetch = 0});
      s.submit(1, frames);
      s.submit(2, frames);
      lose_all(s, workers);
      EXPECT_EQ(s.ended, "it died");
      EXPECT_THAT(s.given_up, IsEmpty()) << workers << " " << frames;
    }
  }
}

TEST(WorkerSchedule, GivesUpTheLastFramesOfARunThatAnsweredOthers) {
  for (const std::size_t workers : {1U, 2U}) {
    Schedule s({.workers = workers});
    s.submit(1, 1);
    s.answer(0);
    s.submit(2, 3);
    lose_all(s, workers);
    EXPECT_EQ(s.given_up.size(), 3U);
    EXPECT_EQ(s.done.size(), 4U);
  }
}

TEST(WorkerSchedule, GivesUpNoFrameWithTheLossThatEndsIt) {
  Schedule s({.workers = 1, .most_lost = 2});
  s.submit(1, 1);
  s.answer(0);
  s.lose_and_bring_back(0);
  s.submit(2, 1);
  for (int loss = 0; loss < 2; ++loss) {
    EXPECT_EQ(s.ended, "");
    s.lose(0);
    if (loss == 0) s.bring_back();
  }
  EXPECT_EQ(s.ended, "it died");
  EXPECT_THAT(s.given_up, IsEmpty());
}

TEST(WorkerSchedule, WaitsWithAFrameToGiveUpForAPartThatGaveNaN) {
  Schedule s({.workers = 1, .prefetch = 0});
  s.submit(1, 1);
  s.submit(2, 1);
  for (int loss = 0; loss < 2; ++loss) {
    ASSERT_THAT(s.batches_at(0), ElementsAre(1));
    s.lose_and_bring_back(0);
  }
  ASSERT_THAT(s.batches_at(0), ElementsAre(2));
  EXPECT_FALSE(s.answer(0, {0}).accepted);
  EXPECT_THAT(s.given_up, IsEmpty());
  s.bring_back();
  EXPECT_TRUE(s.answer(0).accepted);
  EXPECT_THAT(s.given_up, ElementsAre(Frame(1, 0)));
}

TEST(WorkerSchedule, GivesUpFramesThatAreNaNTwice) {
  Schedule s({.workers = 1});
  s.submit(1, 4);
  EXPECT_FALSE(s.answer(0, {1, 3}).accepted);
  s.bring_back();
  const auto acceptance = s.answer(0, {1, 3});
  EXPECT_TRUE(acceptance.accepted);
  EXPECT_THAT(acceptance.given_up, ElementsAre(1, 3));
  // From now on such a frame costs no restart.
  s.submit(2, 4);
  EXPECT_FALSE(s.answer(0, {0}).accepted);
  EXPECT_EQ(s.reasons.size(), 1U);
  EXPECT_TRUE(s.answer(0, {0}).accepted);
  EXPECT_THAT(s.dropped, IsEmpty());
}

// What each worker in turn says to be NaN, and what is given up: an answer without other frames
// than those of the one before agrees with that one, and a third answer counts whatever it says.
TEST(WorkerSchedule, ComputesNaNAgainOnOtherWorkersUntilTwoAgree) {
  using Frames = std::vector<std::uint32_t>;
  struct Answers {
    std::vector<Frames> said;
    std::optional<Frames> given_up;
  };
  for (const Answers& answers : {Answers{{{1, 3}, {}}, Frames{}}, Answers{{{1, 3}, {3}}, Frames{3}},
                                 Answers{{{3}, {1, 3}}, {}}, Answers{{{1}, {2}, {2}}, Frames{2}},
                                 Answers{{{1}, {2}, {3}}, Frames{3}}}) {
    Schedule s({.workers = 3});
    s.submit(1, 4);
    for (std::size_t worker = 0; worker < answers.said.size(); ++worker) {
      EXPECT_THAT(s.batches_at(worker), ElementsAre(1));
      const auto acceptance = s.answer(worker, answers.said[worker]);
      const bool is_last = worker + 1 == answers.said.size();
      ASSERT_EQ(acceptance.accepted, is_last && answers.given_up) << worker;
      if (acceptance.accepted) {
        EXPECT_EQ(answers.given_up, acceptance.given_up);
      }
    }
    EXPECT_THAT(s.reasons.front(), HasSubstr("NaN"));
  }
}

// No two agreed, so no frame is known to be at fault: a later frame that is NaN costs its worker
// again.
TEST(WorkerSchedule, KnowsNoFrameAtFaultAfterThreeDifferentAnswers) {
  Schedule s({.workers = 3});
  s.submit(1, 4);
  for (const std::uint32_t frame : {1U, 2U, 3U}) s.answer(frame - 1, {frame});
  EXPECT_EQ(s.reasons.size(), 2U);
  s.bring_back();
  s.submit(2, 4);
  const std::size_t worker = s.batches_at(0).empty() ? (s.batches_at(1).empty() ? 2 : 1) : 0;
  EXPECT_FALSE(s.answer(worker, {0}).accepted);
  EXPECT_EQ(s.reasons.size(), 3U) << "its worker is started again";
}

TEST(WorkerSchedule, HalvesWhatAWorkerHasNoMemoryFor) {
  Schedule s({.workers = 1, .prefetch = 0});
  s.submit(1, 8);
  EXPECT_TRUE(s.out_of_memory(0, 40));
  s.submit(2, 8);  // 80 tokens: cut in two before it is sent
  std::vector<std::uint32_t> sizes;
  while (!s.flying[0].empty()) {
    sizes.push_back(s.flying[0].front().second.frames());
    const auto [id, part] = s.flying[0].front();
    s.flying[0].erase(s.flying[0].begin());
    EXPECT_TRUE(s.schedule.answered(0, id, {}, 40, s.now).accepted);
    s.look();
  }
  EXPECT_THAT(sizes, ElementsAre(4, 4, 4, 4));
  s.submit(3, 1);
  EXPECT_FALSE(s.out_of_memory(0, 5)) << "a frame alone cannot be halved";
}

TEST(WorkerSchedule, WaitsTenTimesTheSlowestForAnAnswer) {
  Schedule s({.workers = 1, .prefetch = 0, .shortest_hang = 1});
  s.submit(1, 20);  // 200 tokens
  s.wait(2);        // no time per token is known yet: the canary took none
  EXPECT_THAT(s.reasons, ElementsAre(HasSubstr("no answer came for 2 s")));
  s.bring_back();
  s.now += 0.5;
  s.answer(0);
  s.submit(2, 80);  // 200 tokens took 0.5 s: 800 take 2 s, times ten: 20 s
  s.wait(19);
  EXPECT_EQ(s.reasons.size(), 1U);
  s.wait(2);
  EXPECT_THAT(s.reasons.back(), HasSubstr("no answer came for 21 s"));
}

// Their time is mostly a fixed cost, not their tokens'.
TEST(WorkerSchedule, MeasuresTinyBatchesAsAnEighthOfTheBudget) {
  Schedule s({.workers = 1, .prefetch = 0, .shortest_hang = 1});
  s.submit(1, 1);
  s.now += 50;
  s.answer(0);
  s.submit(2, 100);  // 50 s per eighth of the budget, times ten: 4000 s; not 50 s per ten tokens
  s.wait(3999);
  EXPECT_THAT(s.reasons, IsEmpty());
  s.wait(2);
  EXPECT_THAT(s.reasons, ElementsAre(HasSubstr("no answer came for 4001 s")));
}

TEST(WorkerSchedule, WaitsForATinyBatchAsItTakes) {
  Schedule s({.workers = 1, .prefetch = 0, .shortest_hang = 1});
  for (const std::uint64_t batch : {1U, 2U}) {
    s.submit(batch, 1);
    s.now += 50;
    if (batch == 1) s.answer(0);
  }
  s.tick();  // the second batch takes as long as the first
  EXPECT_THAT(s.reasons, IsEmpty());
}

TEST(WorkerSchedule, WaitsLongForAWorkerToStart) {
  WorkerSchedule schedule({.workers = 1, .longest_start = 100});
  schedule.tick(0);
  schedule.next_actions();
  schedule.tick(99);
  EXPECT_THAT(schedule.next_actions(), IsEmpty());
  schedule.tick(101);
  const auto actions = schedule.next_actions();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<WorkerSchedule::Kill>(actions[0]).reason, "it was not ready after 101 s");
}

}  // namespace
}  // namespace virnucpro

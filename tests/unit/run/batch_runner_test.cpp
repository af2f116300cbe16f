#include "run/batch_runner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "engine/worker.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/length.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using Scores = std::pair<float, float>;

// Frames of all lengths; some occur more than once, some are longer than the smallest budget.
const std::vector<FrameTokens>& sample_frames() {
  static const std::vector<FrameTokens> kFrames = [] {
    std::mt19937 random(7);
    std::vector<FrameTokens> all;
    for (int i = 0; i < 120; ++i) {
      if (i % 5 == 4) {
        all.push_back(all[random() % all.size()]);
      } else {
        all.push_back(random_frame(random, 1 + random() % (i % 11 == 0 ? 150 : 40)));
      }
    }
    return all;
  }();
  return kFrames;
}

struct BatchRunners : testing::Test {
  // Only for one runner at a time: the next one replaces its worker.
  BatchRunner runner(const ComputeSettings& settings, const EngineModels& models = tiny_models()) {
    worker.reset();
    engine = make_engine(models, {.token_budget = settings.token_budget}, cancel);
    worker = std::make_unique<Worker>(*engine, settings.prefetch);
    return {*worker,
            settings,
            counters,
            {.on_result =
                 [this](std::uint64_t number, const FrameResult& result) {
                   EXPECT_TRUE(
                       scores.try_emplace(number, result.scores.others, result.scores.virus).second)
                       << number << " was answered twice";
                 },
             .on_failed = {},
             .name_of = [](std::uint64_t number) { return fmt::format("frame{}", number); }}};
  }
  // The scores of every sample frame with these settings, by number.
  std::map<std::uint64_t, Scores> run(const ComputeSettings& settings) {
    scores.clear();
    BatchRunner runner = this->runner(settings);
    for (std::size_t i = 0; i < sample_frames().size(); ++i) runner.add(sample_frames()[i], i);
    runner.flush();
    return scores;
  }
  std::string not_finite_detail(const std::vector<std::pair<std::string, std::uint64_t>>& proteins,
                                const ComputeSettings& settings) {
    return reason_of(ErrorKind::kNotFinite, [&] {
      BatchRunner runner = this->runner(settings, models_that_fail_on_w());
      for (const auto& [protein, number] : proteins) {
        runner.add(frame_tokens(protein, "ACGTACGT"), number);
      }
      runner.flush();
    });
  }

  Cancel cancel;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Worker> worker;
  RunCounters counters;
  std::map<std::uint64_t, Scores> scores;
};

TEST_F(BatchRunners, AnswerEachNumberOnceWithTheSameBitsHoweverTheyPack) {
  const auto alone = make_engine(tiny_models(), {}, cancel);
  std::map<std::uint64_t, Scores> expected;
  for (std::size_t i = 0; i < sample_frames().size(); ++i) {
    const BatchResult result = alone->run(request_of(0, {sample_frames()[i]}));
    expected[i] = {result.scores[0], result.scores[1]};
  }
  const int stride = test_length() == TestLength::kCheck ? 5 : 1;  // 5 still meets each value
  int number = 0;
  for (const std::size_t budget : {1U, 64U, 300U, 4096U}) {
    for (const std::size_t prefetch : {1U, 2U, 7U}) {
      for (const bool deduplicate : {true, false}) {
        if (number++ % stride != 0) continue;
        EXPECT_EQ(run({.token_budget = budget, .prefetch = prefetch, .deduplicate = deduplicate}),
                  expected)
            << budget << " " << prefetch << " " << deduplicate;
      }
    }
  }
  EXPECT_EQ(run({.packing = false}), expected);
}

TEST_F(BatchRunners, CountWhatWasComputedAndWhatTheBudgetsHeld) {
  constexpr std::size_t kBudget = 60;
  run({.token_budget = kBudget, .packing = false, .deduplicate = false});
  std::uint64_t esm = 0;
  std::uint64_t dna = 0;
  std::uint64_t budgets = 0;
  for (const FrameTokens& frame : sample_frames()) {
    esm += frame.esm.size();
    dna += frame.dna.size();
    budgets += std::max({kBudget, frame.esm.size(), frame.dna.size()});
  }
  EXPECT_EQ(counters.frames_scored.get(), sample_frames().size());
  const BatchTotals computed = counters.pipeline.totals();
  EXPECT_EQ(computed.batches, sample_frames().size());
  EXPECT_EQ(computed.frames, sample_frames().size());
  EXPECT_EQ(computed.esm_tokens, esm);
  EXPECT_EQ(computed.dna_tokens, dna);
  EXPECT_EQ(computed.budget_tokens, budgets);
}

TEST_F(BatchRunners, CountEqualFramesOfAWindowAsComputedOnce) {
  BatchRunner runner = this->runner({.token_budget = 1000});
  std::mt19937 random(2);
  const FrameTokens frame = random_frame(random, 20);
  for (std::uint64_t number = 0; number < 9; ++number) runner.add(frame, number);
  runner.flush();
  EXPECT_EQ(scores.size(), 9U);
  EXPECT_EQ(counters.frames_scored.get(), 9U);
  const BatchTotals computed = counters.pipeline.totals();
  EXPECT_EQ(computed.batches, 1U);
  EXPECT_EQ(computed.esm_tokens, frame.esm.size());
  EXPECT_EQ(computed.budget_tokens, 1000U);
}

TEST_F(BatchRunners, GoOnAfterAFlush) {
  BatchRunner runner = this->runner({});
  runner.flush();
  runner.add(sample_frames()[0], 5);
  runner.flush();
  runner.add(sample_frames()[0], 6);
  EXPECT_EQ(scores.size(), 1U);
  runner.flush();
  EXPECT_EQ(scores.at(5), scores.at(6));
}

TEST_F(BatchRunners, NameEveryFrameThatIsNotFinite) {
  // One batch per flush: the named frames do not depend on how frames meet in batches.
  EXPECT_EQ(not_finite_detail({{"KW", 0}, {"KW", 4}}, {}), "for frame0, frame4");
  EXPECT_EQ(not_finite_detail({{"KV", 0}, {"W", 9}}, {}), "for frame9");
  scores.clear();
  EXPECT_EQ(not_finite_detail({{"KV", 0}, {"W", 9}, {"MM", 2}}, {.packing = false}), "for frame9");
  EXPECT_EQ(scores.count(9), 0U);
}

TEST_F(BatchRunners, NameTwentyOfManyFramesThatAreNotFinite) {
  std::vector<std::pair<std::string, std::uint64_t>> same;
  for (std::uint64_t number = 0; number < 20; ++number) same.emplace_back("W", number);
  std::string names = "for frame0";
  for (int number = 1; number < 20; ++number) names += fmt::format(", frame{}", number);
  EXPECT_EQ(not_finite_detail(same, {}), names);
  for (std::uint64_t number = 20; number < 25; ++number) same.emplace_back("W", number);
  EXPECT_EQ(not_finite_detail(same, {}), names + " and 5 more");
}

TEST_F(BatchRunners, EndWithTheEnginesError) {
  BatchRunner runner = this->runner({.token_budget = 10, .prefetch = 1});
  cancel.request_now(SIGINT);
  EXPECT_EQ(thrown_kind([&] {
              for (std::size_t i = 0; i < sample_frames().size(); ++i) {
                runner.add(sample_frames()[i], i);
              }
              runner.flush();
            }),
            ErrorKind::kInterrupted);
}

// Returns results only when it must wait, and the newest batch first.
class MadeUpComputer : public BatchComputer {
 public:
  MadeUpComputer(std::size_t most_outstanding, bool gives_up_first_frames)
      : most_outstanding_(most_outstanding), gives_up_first_frames_(gives_up_first_frames) {}

  EngineFacts facts() const override { return {.plan = {.tokens = 1000}}; }
  std::vector<EngineFacts> facts_of_workers() const override { return {facts()}; }
  std::size_t workers() const override { return 1; }
  std::size_t most_outstanding() const override { return most_outstanding_; }
  void submit(BatchRequest request) override {
    BatchResult& result = results_.emplace_back();
    result.id = request.id;
    result.scores.assign(2 * request.frames.frames(), 0.5F);
    if (gives_up_first_frames_) {
      result.failed.push_back({.index = 0, .reason = "it was told to"});
    }
  }
  std::size_t outstanding() const override { return results_.size(); }
  std::optional<BatchResult> receive(bool wait) override {
    if (!wait) return std::nullopt;
    std::optional<BatchResult> result(std::move(results_.back()));
    results_.pop_back();
    return result;
  }

 private:
  const std::size_t most_outstanding_;
  const bool gives_up_first_frames_;
  std::vector<BatchResult> results_;
};

TEST(BatchRunnerOfALossyComputer, NamesEveryOccurrenceOfAFrameThatWasGivenUp) {
  MadeUpComputer computer(1, true);
  RunCounters counters;
  std::vector<std::uint64_t> scored;
  std::map<std::uint64_t, std::string> failed;
  BatchRunner runner(
      computer, {}, counters,
      {.on_result = [&](auto number, const auto&) { scored.push_back(number); },
       .on_failed = [&](auto number, const auto& reason) { failed[number] = reason; },
       .name_of = {}});
  const auto frame = [](const char* protein) { return frame_tokens(protein, "ACGTACGT"); };
  // Two frames fill a batch, also with the tiny limits.
  runner.add(frame("MKL"), 0);
  runner.add(frame("MKL"), 1);
  runner.add(frame("MKV"), 2);
  runner.flush();
  EXPECT_EQ(scored, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(failed,
            (std::map<std::uint64_t, std::string>{{0, "it was told to"}, {1, "it was told to"}}));
  EXPECT_EQ(counters.frames_scored.get(), 1U);
  EXPECT_EQ(counters.frames_given_up.get(), 2U);
}

TEST(BatchRunnerOfASlowComputer, WaitsForAsManyBatchesAsItIsTold) {
  MadeUpComputer computer(100, false);
  RunCounters counters;
  std::vector<std::uint64_t> scored;
  BatchRunner runner(computer, {.packing = false}, counters,
                     {.on_result = [&](auto number, const auto&) { scored.push_back(number); },
                      .on_failed = {},
                      .name_of = {}});
  std::uint64_t number = 0;
  const auto add = [&](const char* protein) {
    runner.add(frame_tokens(protein, "ACGTACGT"), number++);
  };
  add("MKL");
  add("MKV");
  const std::uint64_t first = runner.empty_window();
  EXPECT_EQ(first, 2U);
  add("MKW");
  EXPECT_EQ(runner.empty_window(), 3U);
  EXPECT_EQ(computer.outstanding(), 3U) << "all are submitted, and nothing was waited for";
  runner.wait_for(0);
  EXPECT_EQ(computer.outstanding(), 3U);
  runner.wait_for(first);  // runs until the oldest one, past the newest
  EXPECT_EQ(scored, (std::vector<std::uint64_t>{2, 1, 0}));
  add("MKY");
  runner.empty_window();
  runner.wait_for(first);
  EXPECT_EQ(computer.outstanding(), 1U);
  runner.flush();
  EXPECT_EQ(scored, (std::vector<std::uint64_t>{2, 1, 0, 3}));
}

TEST_F(BatchRunners, MayEndWithoutAFlush) {
  std::size_t answered = 0;
  {
    BatchRunner runner = this->runner({.token_budget = 10});
    for (std::size_t i = 0; i < 30; ++i) runner.add(sample_frames()[i], i);
    answered = scores.size();
    EXPECT_LT(answered, 30U);
  }
  worker.reset();
  EXPECT_EQ(scores.size(), answered) << "nobody is answered after its end";
}

}  // namespace
}  // namespace virnucpro

#include "measure/timing/profile.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr double kShort = 0.01;

ProfileSettings settings_of(ProfiledModel model, std::vector<std::size_t> budgets) {
  ProfileSettings settings;
  settings.model = model;
  // The other model is not looked up.
  const bool esm2 = model == ProfiledModel::kEsm2;
  settings.models = {.dnabert_s = esm2 ? "none" : "synthetic:dnabert-s-tiny",
                     .esm2 = esm2 ? "synthetic:esm2_tiny" : "none",
                     .classifier = {},
                     .lookup = tiny_lookup()};
  settings.budgets = std::move(budgets);
  settings.seconds = kShort;
  return settings;
}

TEST(Profiler, MeasuresEveryBudgetOfEitherModel) {
  const Cancel cancel;
  for (const ProfiledModel model : {ProfiledModel::kDnabertS, ProfiledModel::kEsm2}) {
    Profiler profiler(settings_of(model, {100, 400, 700}), cancel);
    std::vector<std::size_t> handed_on;
    const std::vector<BudgetRow> rows =
        profiler.run([&handed_on](const BudgetRow& row) { handed_on.push_back(row.token_budget); });
    EXPECT_EQ(handed_on, std::vector<std::size_t>({100, 400, 700}));
    ASSERT_EQ(rows.size(), 3U);
    for (const BudgetRow& row : rows) {
      EXPECT_FALSE(row.out_of_memory);
      EXPECT_GT(row.tokens_per_second, 0);
      EXPECT_GE(row.spread, 0);
      EXPECT_GE(row.batches, 5U);  // one per repeat
    }
    EXPECT_GE(profiler.tokens(), 4 * 700U);
  }
}

TEST(Profiler, DescribesWhatItMeasures) {
  const Cancel cancel;
  const Profiler profiler(settings_of(ProfiledModel::kEsm2, {200}), cancel);
  EXPECT_EQ(profiler.description().at("esm2"), "synthetic:esm2_tiny:0");
  EXPECT_EQ(profiler.description().count("dnabert_s"), 0U);
  EXPECT_EQ(profiler.frames(), 5U);  // with 168 tokens, for four batches
  EXPECT_EQ(profiler.tokens(), 5 * 168U);
}

TEST(Profiler, RepeatsTheFramesOfAShortFile) {
  const TempDir directory;
  write_text(directory / "in.fa", ">a\nATGGCTGCTAAACGT\n");
  ProfileSettings settings = settings_of(ProfiledModel::kEsm2, {64, 256});
  settings.test_file = (directory / "in.fa").string();
  const Cancel cancel;
  Profiler profiler(settings, cancel);
  EXPECT_LE(profiler.frames(), 6U);
  EXPECT_LT(profiler.tokens(), 64U);
  EXPECT_EQ(profiler.run([](const BudgetRow&) {}).size(), 2U);
}

TEST(Profiler, CanBeStopped) {
  Cancel cancel;
  ProfileSettings settings = settings_of(ProfiledModel::kEsm2, {200, 400});
  Profiler profiler(settings, cancel);
  EXPECT_EQ(
      thrown_kind([&] { profiler.run([&cancel](const BudgetRow&) { cancel.request(SIGTERM); }); }),
      ErrorKind::kTerminated);
}

}  // namespace
}  // namespace virnucpro

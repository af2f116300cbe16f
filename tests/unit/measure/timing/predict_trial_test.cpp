#include "measure/timing/predict_trial.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

// In 2 s, 100 of 600 tokens were computed a second time, for close calls.
TEST(Trial, CountsTokensThatAreComputedAgainOnce) {
  Trial trial;
  trial.telemetry.workload.esm_tokens = 600;
  trial.telemetry.throughput.esm_tokens_per_second = 300;
  EXPECT_DOUBLE_EQ(trial.esm_tokens_per_second(), 300);
  trial.telemetry.close_calls.esm_tokens = 100;
  EXPECT_DOUBLE_EQ(trial.computing_seconds(), 2);
  EXPECT_DOUBLE_EQ(trial.esm_tokens_per_second(), 250);
}

// A disk that was full after the first rows leaves a log without the other rows.
TEST(Trial, KnowsOfALogWhatItsRunCouldNotWrite) {
  const TempDir folder;
  Trial trial{.directory = folder.path()};
  trial.telemetry.monitor = {
      .samples = 9, .written = 2, .failure = "7 of 9 measurements are not in the log"};
  const auto of_log = [&trial] {
    std::vector<Verdict> verdicts = trial.judged(0, {});
    return *std::ranges::find(verdicts, "MON-01", &Verdict::id);
  };
  EXPECT_THAT(of_log().detail, HasSubstr("has no gpu_metrics_"));
  std::filesystem::create_directory(folder.path() / "logs");
  std::ofstream(folder.path() / "logs" / "gpu_metrics_20261122T063000Z.log") << "rows\n";
  EXPECT_EQ(of_log().detail, *trial.telemetry.monitor.failure);
  EXPECT_EQ(of_log().value, 2);
  trial.telemetry.monitor = {.samples = 9, .written = 9, .failure = ""};
  EXPECT_EQ(of_log().status, VerdictStatus::kPass);
}

}  // namespace
}  // namespace virnucpro

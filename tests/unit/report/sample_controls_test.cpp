#include "report/sample_controls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SampleFacts sample(std::string name, std::uint64_t virus, std::uint64_t all) {
  SampleFacts facts{.name = name, .run = "runs/" + name};
  facts.counts.virus_sequences = virus;
  facts.counts.sequences = all;
  return facts;
}

std::vector<AgainstControls> found_in(const std::vector<ControlResult>& results) {
  std::vector<AgainstControls> found;
  for (const ControlResult& result : results) found.push_back(result.found);
  return found;
}

std::string refusal(const std::vector<SampleFacts>& samples, const std::string& name) {
  return reason_of(ErrorKind::kUsage, [&] { find_controls(samples, {name}); });
}

TEST(Controls, AreFoundByTheirNameOrRun) {
  const std::vector<SampleFacts> samples{sample("a", 1, 2), sample("b", 1, 2), sample("c", 1, 2)};
  EXPECT_THAT(find_controls(samples, {"c", "runs/a/", "c"}), ElementsAre(0, 2));
  EXPECT_THAT(refusal(samples, "d"), HasSubstr("no sample has this name; the samples are a, b, c"));
}

TEST(Controls, OfADoubledNameAreAskedForByTheirRun) {
  std::vector<SampleFacts> samples{sample("a", 1, 2), sample("a", 1, 2)};
  samples[1].run = "other";
  EXPECT_THAT(refusal(samples, "a"), HasSubstr("give the path of a run, such as runs/a or other"));
  EXPECT_THAT(find_controls(samples, {"other"}), ElementsAre(1));
}

TEST(Controls, TellSomeNamesOfMany) {
  const std::vector<SampleFacts> samples(500, sample("a", 1, 2));
  EXPECT_THAT(refusal(samples, "d"), HasSubstr("a (runs/a), a (runs/a) and 480 more"));
}

TEST(Controls, AreAllToBeExceeded) {
  const std::vector<SampleFacts> samples{sample("clean", 0, 10'000), sample("dirty", 500, 10'000),
                                         sample("low", 300, 10'000), sample("high", 900, 10'000)};
  EXPECT_THAT(found_in(compare_with_controls(samples, {0})),
              ElementsAre(AgainstControls::kControl, AgainstControls::kAbove,
                          AgainstControls::kAbove, AgainstControls::kAbove));
  const auto results = compare_with_controls(samples, {0, 1});
  EXPECT_THAT(found_in(results), ElementsAre(AgainstControls::kControl, AgainstControls::kControl,
                                             AgainstControls::kNotAbove, AgainstControls::kAbove));
  EXPECT_EQ(results[3].control, 1U);
  EXPECT_DOUBLE_EQ(results[3].ratio.value().ratio.value(), 1.8);
}

TEST(Controls, AreNotComparedWhereNothingCanBeSaid) {
  std::vector<SampleFacts> samples{sample("control", 1, 10'000), sample("none", 0, 0),
                                   sample("a", 900, 10'000), sample("b", 0, 0)};
  samples[0].settings[static_cast<std::size_t>(SampleSetting::kChunkSize)] = "300";
  EXPECT_THAT(found_in(compare_with_controls(samples, {0, 1})),
              ElementsAre(AgainstControls::kControl, AgainstControls::kControl,
                          AgainstControls::kNotComparable, AgainstControls::kNotComparable));
  samples[0].settings = samples[2].settings;
  EXPECT_THAT(found_in(compare_with_controls(samples, {0, 1})),
              ElementsAre(AgainstControls::kControl, AgainstControls::kControl,
                          AgainstControls::kAbove, AgainstControls::kNotAbove));
}

}  // namespace
}  // namespace virnucpro

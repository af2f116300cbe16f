#include "measure/tune/tune_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace virnucpro {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string yaml_of(Precision precision) {
  TuneOutcome outcome;
  outcome.results = {{.cell = {.precision = precision},
                      .rounds = {{{.sequences_per_second = 5}}},
                      .state = TuneState::kFinished}};
  return tune_yaml({.int8_keep = "fc2"}, outcome);
}

// Without the key, a run with this file would compute other linears than those that were timed.
TEST(TuneYaml, SaysWhatInt8Kept) {
  EXPECT_THAT(yaml_of(Precision::kInt8), HasSubstr("  int8_keep: fc2\n"));
  EXPECT_THAT(yaml_of(Precision::kFp16), Not(HasSubstr("int8_keep")));
}

}  // namespace
}  // namespace virnucpro

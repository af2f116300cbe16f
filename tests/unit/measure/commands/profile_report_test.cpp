#include "measure/commands/profile_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

ProfileFacts facts() {
  return {.model = "esm2",
          .weights = "esm2.pt",
          .weights_hash = "00ff",
          .description = {{"program_version", "1.2.3"},
                          {"synthetic_weights", "false"},
                          {"kernel_path", "cuda-sm90a"},
                          {"precision", "fp16"}},
          .device = "cuda:0",
          .device_description = "a GPU",
          .threads = 4,
          .test_file = {},
          .chunk_size = 500,
          .frames = 1500,
          .tokens = 252000,
          .seconds = 2,
          .memory = {.by_purpose = {{{6000, 6000}, {70, 80}, {0, 9}, {5, 5}}}, .kept = 12}};
}

constexpr BudgetRow kMeasured{
    .token_budget = 2048, .tokens_per_second = 123456.7, .spread = 0.0123, .batches = 1234};
constexpr BudgetRow kTooLarge{.token_budget = 65536, .out_of_memory = true};

TEST(ProfileTable, SaysWhatWasMeasured) {
  EXPECT_EQ(profile_head(facts()),
            "model   esm2.pt, fp16\n"
            "device  cuda:0, cuda-sm90a, 4 threads\n"
            "frames  1,500 of made-up sequences, 168.0 tokens each\n"
            "\n"
            "token budget        tokens/s    spread   batches\n");
}

TEST(ProfileTable, SaysWhatInt8Keeps) {
  ProfileFacts in_int8 = facts();
  in_int8.description["precision"] = "int8";
  in_int8.description["int8_keep"] = "fc2";
  EXPECT_THAT(profile_head(in_int8), HasSubstr("esm2.pt, int8, fc2 in 16 bits\n"));
  EXPECT_THAT(profile_json(in_int8, {}, 1), HasSubstr("\"int8_keep\": \"fc2\""));
}

TEST(ProfileTable, NamesAFileFitForATerminal) {
  ProfileFacts of_file = facts();
  of_file.test_file = "a\nb.fa";
  EXPECT_THAT(profile_head(of_file), HasSubstr("1,500 of a\\x0ab.fa, "));
}

TEST(ProfileTable, HasRowsUnderItsHead) {
  EXPECT_EQ(profile_row(kMeasured), "        2048         123,457     1.2 %     1,234\n");
  EXPECT_EQ(profile_row(kTooLarge), "       65536   out of memory\n");
}

TEST(ProfileTable, EndsWithTheOption) {
  EXPECT_EQ(profile_end(2048),
            "\nthe smallest budget within 1 % of the fastest: --token-budget 2048\n");
}

TEST(ProfileJson, HoldsFactsAndRows) {
  EXPECT_EQ(profile_json(facts(),
                         {{.token_budget = 2048,
                           .tokens_per_second = 123456.5,
                           .spread = 0.25,
                           .batches = 7,
                           .rates = {123456.5},
                           .busy_share = 0.5},
                          kTooLarge},
                         2048),
            R"({
  "program_version": "1.2.3",
  "model": "esm2",
  "weights": "esm2.pt",
  "weights_hash": "00ff",
  "synthetic_weights": false,
  "device": "cuda:0",
  "device_description": "a GPU",
  "kernel_path": "cuda-sm90a",
  "precision": "fp16",
  "int8_keep": null,
  "threads": 4,
  "test_file": null,
  "chunk_size": 500,
  "frames": 1500,
  "tokens": 252000,
  "seconds": 2.0,
  "memory": {
    "kept_bytes": 12,
    "weights": {
      "bytes": 6000,
      "peak_bytes": 6000
    },
    "activations": {
      "bytes": 70,
      "peak_bytes": 80
    },
    "scratch": {
      "bytes": 0,
      "peak_bytes": 9
    },
    "staging": {
      "bytes": 5,
      "peak_bytes": 5
    }
  },
  "rows": [
    {
      "token_budget": 2048,
      "out_of_memory": false,
      "tokens_per_second": 123456.5,
      "spread": 0.25,
      "batches": 7,
      "rates": [
        123456.5
      ],
      "device_busy_share": 0.5
    },
    {
      "token_budget": 65536,
      "out_of_memory": true
    }
  ],
  "recommended_token_budget": 2048
}
)");
}

TEST(ProfileJson, TakesAnyPath) {
  ProfileFacts of_file = facts();
  of_file.test_file = "a\"\xff.fa";
  EXPECT_THAT(profile_json(of_file, {kMeasured}, 2048),
              HasSubstr("\"test_file\": \"a\\\"\\ufffd.fa\""));
}

}  // namespace
}  // namespace virnucpro

#include "run/run_fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

// A journal from a stranger may say that its weights are synthetic, and name none.
TEST(SyntheticMark, NamesTheModelsThatAreKnown) {
  const TempDir folder;
  mark_synthetic(RunFolder(folder.path()),
                 {{kSyntheticKey, "true"}, {"esm2", "synthetic:esm2_tiny:0"}});
  const std::string text = read_text(folder / "SYNTHETIC_WEIGHTS");
  EXPECT_TRUE(
      text.ends_with("dnabert_s: not said\nesm2: synthetic:esm2_tiny:0\n"
                     "classifier: not said\n"))
      << text;
}

TEST(SyntheticMark, IsForSyntheticWeightsAlone) {
  const TempDir folder;
  mark_synthetic(RunFolder(folder.path()), {{kSyntheticKey, "false"}});
  mark_synthetic(RunFolder(folder.path()), {});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RunFingerprint, KeepsTheNamesOfItsInputs) {
  PredictSettings settings;
  settings.inputs = {.paths = {"-", "b.fq", "in/c.fq", "d.fq"}, .paired = true};
  Journal::Fingerprint print = run_fingerprint(settings, {});
  EXPECT_THAT(input_names_of(print), testing::ElementsAre("stdin+b.fq", "in/c.fq+d.fq"));
  std::erase_if(print, [](const auto& entry) { return entry.first.starts_with("input_name_"); });
  const std::string here = std::filesystem::current_path().string();
  EXPECT_THAT(input_names_of(print),
              testing::ElementsAre("stdin+" + here + "/b.fq", here + "/in/c.fq+" + here + "/d.fq"))
      << "as of an earlier version";
}

// What is said of a journal that such a run would not go on with; empty if it would.
std::string mismatch(const Journal::Fingerprint& journal, const Journal::Fingerprint& now) {
  try {
    require_same_run(journal, now, "run.db");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kJournalMismatch);
    return error.detail();
  }
  return {};
}

// Scores of another policy must not end up in one table with those of the run.
TEST(RequireSameRun, ComparesWhatInt8Keeps) {
  const Journal::Fingerprint all{{"precision", "int8"}, {kInt8KeepKey, "none"}};
  const Journal::Fingerprint some{{"precision", "int8"}, {kInt8KeepKey, "fc2"}};
  EXPECT_EQ(mismatch(some, some), "");
  EXPECT_EQ(mismatch({{"precision", "fp16"}}, {{"precision", "fp16"}}), "");
  EXPECT_THAT(mismatch(all, some), testing::HasSubstr("--int8-keep (was none, is fc2)"));
}

// Their digits differ, and version 0.2 gave both one name.
TEST(RequireSameRun, TellsAmxFromAvx512) {
  const Journal::Fingerprint amx{{"kernel_path", "cpu-amx-bf16"}, {kRefusesRnaKey, "true"}};
  const Journal::Fingerprint none{{"kernel_path", "cpu-avx512-bf16"}, {kRefusesRnaKey, "true"}};
  const Journal::Fingerprint old{{"kernel_path", "cpu-avx512-bf16"}};
  EXPECT_EQ(mismatch(none, none), "");
  for (const auto& [journal, now] :
       {std::pair(amx, none), std::pair(old, none), std::pair(old, amx)}) {
    EXPECT_THAT(mismatch(journal, now), testing::HasSubstr("the kernel path (was cpu-a"));
  }
}

}  // namespace
}  // namespace virnucpro

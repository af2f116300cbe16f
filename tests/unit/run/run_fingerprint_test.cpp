#include "run/run_fingerprint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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

}  // namespace
}  // namespace virnucpro

#include "run/virus_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

// Its other mate has no score yet.
TEST(VirusFastq, OfAnInterruptedRunOfPairsLeavesALoneMateOut) {
  const TempDir directory;
  const FastqOutput wanted{.prefix = (directory / "v").string()};
  InputRecord mate{.input = 0, .id = "a/1", .record = {}};
  mate.record = {.header = "a", .letters = "ACG", .qualities = "III", .number = 1, .mate = 1};
  VirusFastq files(wanted, true);
  files.add(mate, true);
  files.finish();
  files.commit();
  EXPECT_FALSE(std::filesystem::exists(directory / "v.fastq.gz"));
  for (const char* name : {"v_1.fastq.gz", "v_2.fastq.gz"}) {
    EXPECT_EQ(read_text(directory / name).size(), 28U) << "the end of BGZF alone";
  }
}

}  // namespace
}  // namespace virnucpro

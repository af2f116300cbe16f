#include "journal/kept_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "journal/sqlite.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

struct KeptRuns : testing::Test {
  const TempDir directory;
  const std::filesystem::path journal = directory / "run.db";

  void SetUp() override { Journal::create(journal, {{"stem", "a"}}).finish(); }
};

TEST_F(KeptRuns, AreLockedOnlyToWriteBesideTheirJournal) {
  {
    KeptRun run(directory.path(), Cancel());
    EXPECT_EQ(directory.entries(), 1U);
    run.lock();
    EXPECT_TRUE(std::filesystem::exists(directory / "run.lock"));
    EXPECT_EQ(thrown_kind([&] { KeptRun(directory.path(), Cancel()); }), ErrorKind::kOutputBusy);
  }
  EXPECT_EQ(directory.entries(), 1U);
}

TEST_F(KeptRuns, AreNotWrittenBesideIfTheyWentOnMeanwhile) {
  KeptRun run(directory.path(), Cancel());
  SqliteDatabase(journal, nullptr).execute("PRAGMA user_version = 7");
  EXPECT_EQ(thrown_kind([&] { run.lock(); }), ErrorKind::kOutputBusy);
}

}  // namespace
}  // namespace virnucpro

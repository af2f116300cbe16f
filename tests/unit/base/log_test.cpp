#include "base/log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace virnucpro {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(path_);
    start_log(LogLevel::kError, {});
  }
  void TearDown() override {
    start_log(LogLevel::kError, {});
    std::filesystem::remove(path_);
  }

  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }

  // Each process has its own name; the tests of a process run one after another.
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                fmt::format("virnucpro_log_test_{}.log", ::getpid());
};

TEST_F(LogTest, AFileBeginsWithWhatWasSaidBeforeIt) {
  log_info("before");
  add_log_file(path_);
  log_to_files(LogLevel::kWarning, "after\x1b");
  EXPECT_THAT(text(), HasSubstr(" info before\n"));
  EXPECT_THAT(text(), EndsWith(" warning after\\x1b\n"));
}

TEST_F(LogTest, OfALongPastTheLastIsKept) {
  log_info("the first");
  for (std::size_t i = 0; i < kLogHistory; ++i) log_info("one more");
  add_log_file(path_);
  EXPECT_THAT(text(), Not(HasSubstr("the first")));
  EXPECT_THAT(text(), HasSubstr(" info one more\n"));
}

TEST_F(LogTest, MayGoElsewhere) {
  add_log_file(path_);
  std::string said;
  send_log_to([&said](LogLevel level, std::string_view line) {
    said += fmt::format("{} {}\n", static_cast<int>(level), line);
  });
  log_info("fine");
  log_to_files(LogLevel::kWarning, "not here");
  send_log_to({});
  log_info("here again");
  EXPECT_EQ(said, "0 fine\n1 not here\n");
  EXPECT_THAT(text(), Not(HasSubstr("not here")));
  EXPECT_THAT(text(), EndsWith(" info here again\n"));
}

TEST_F(LogTest, StartedAgainItForgets) {
  log_info("before");
  start_log(LogLevel::kError, path_);
  log_info("after");
  EXPECT_THAT(text(), Not(HasSubstr("before")));
  EXPECT_THAT(text(), EndsWith(" info after\n"));
}

}  // namespace
}  // namespace virnucpro

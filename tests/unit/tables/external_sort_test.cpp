#include "tables/external_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "unit/file_size_limit.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows sorted(const Rows& rows, std::size_t rows_in_memory) {
  const ScopedVariable unset("TMPDIR", std::nullopt);
  const TempDir directory;
  const Cancel never;
  ExternalSort sort(Directory(directory.path()), rows_in_memory, never);
  for (const auto& [key, value] : rows) sort.add(key, value);
  EXPECT_EQ(directory.entries(), 0U);  // its file has no name
  Rows result;
  sort.drain(
      [&](std::string_view key, std::string_view value) { result.emplace_back(key, value); });
  return result;
}

Rows random_rows(std::size_t count) {
  Rows rows;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t random = splitmix64(k);
    std::string key(random % 4, '\0');
    for (char& letter : key) letter = "a\x80\xff"[splitmix64(random + k) % 3];
    rows.emplace_back(key, std::to_string(k));
  }
  return rows;
}

TEST(ExternalSort, OrdersByBytesNotBySign) {
  const Rows rows{{"b", "1"}, {"\xc3\xa9", "2"}, {"a", "3"}, {"\x7f", "4"}, {"", "5"}, {"ab", "6"}};
  const Rows wanted{{"", "5"},  {"a", "3"},    {"ab", "6"},
                    {"b", "1"}, {"\x7f", "4"}, {"\xc3\xa9", "2"}};
  for (const std::size_t memory : {1U, 2U, 100U}) EXPECT_EQ(sorted(rows, memory), wanted);
}

// True if this process has an open file in the folder that has no name there.
bool has_nameless(const std::filesystem::path& folder) {
  return std::ranges::any_of(
      std::filesystem::directory_iterator("/proc/self/fd"), [&folder](const auto& entry) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
        return target.ends_with(" (deleted)") &&
               std::filesystem::path(target).parent_path() == std::filesystem::canonical(folder);
      });
}

TEST(ExternalSort, KeepsItsRowsInTmpdirOrElseBesideTheOutput) {
  const TempDir output;
  const TempDir scratch;
  const Cancel never;
  for (const auto& [tmpdir, expected] : {std::pair{scratch.path().string(), scratch.path()},
                                         std::pair{std::string(), output.path()}}) {
    const ScopedVariable variable("TMPDIR", tmpdir);
    ExternalSort sort(Directory(output.path()), 1, never);
    for (const char* key : {"b", "a", "c"}) sort.add(key, "");
    EXPECT_TRUE(has_nameless(expected));
  }
}

TEST(ExternalSort, NamesATmpdirThatCannotBeUsed) {
  const TempDir output;
  const Cancel never;
  const ScopedVariable variable("TMPDIR", (output.path() / "absent").string());
  ExternalSort sort(Directory(output.path()), 1, never);
  sort.add("b", "");
  const Error error = thrown([&] { sort.add("a", ""); });
  EXPECT_EQ(error.kind(), ErrorKind::kTemporaryFolder);
  EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos);
}

// 10,000 rows, two at a time, make 5,000 runs: two passes before the last merge.
TEST(ExternalSort, IsStableHoweverManyRunsItTakes) {
  const Rows rows = random_rows(10000);
  Rows wanted = rows;
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const std::size_t memory : {2U, 150U, 9999U, 10000U, 20000U}) {
    EXPECT_EQ(sorted(rows, memory), wanted) << memory;
  }
}

TEST(ExternalSort, TakesRowsLongerThanItsBuffers) {
  const Rows rows{{std::string(200000, 'b'), "1"},
                  {std::string(100, 'c'), std::string(300000, 'v')},
                  {std::string(200000, 'a'), "2"}};
  EXPECT_EQ(sorted(rows, 1), (Rows{rows[2], rows[0], rows[1]}));
}

TEST(ExternalSort, HasNothingToGive) {
  EXPECT_TRUE(sorted({}, 2).empty());
}

TEST(ExternalSort, SaysThatTheDiskIsFull) {
  EXPECT_EQ(kind_with_full_disk(4096, [] { sorted(random_rows(10000), 2); }),
            static_cast<int>(ErrorKind::kOutputWrite));
}

// With rows in memory, and with runs on disk that need another pass.
TEST(ExternalSort, EndsAtOnceWhenCancelled) {
  for (const std::size_t memory : {2U, 20000U}) {
    const TempDir directory;
    Cancel cancel;
    ExternalSort sort(Directory(directory.path()), memory, cancel);
    for (const auto& [key, value] : random_rows(10000)) sort.add(key, value);
    std::size_t given = 0;
    const auto drain = [&] {
      sort.drain([&](std::string_view, std::string_view) {
        if (++given == 5) cancel.request(SIGTERM);
      });
    };
    EXPECT_EQ(thrown_kind(drain), ErrorKind::kTerminated);
    EXPECT_EQ(given, 5U);
  }
}

TEST(ExternalSort, SaysThatTheFolderIsMissing) {
  EXPECT_EQ(thrown_kind([] {
              const Cancel never;
              ExternalSort sort(Directory("/nowhere/at/all"), 1, never);
              sort.add("a", "");
              sort.add("b", "");
            }),
            ErrorKind::kOutputWrite);
}

}  // namespace
}  // namespace virnucpro

#include "download/file_hashes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kHelloSha256 =
    "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";         // sha256sum
constexpr const char* kHelloBlob = "ce013625030ba8dba906f756967f9e9ca394464a";  // git hash-object

class FileHashesTest : public ::testing::Test {
 protected:
  FileHashes of(const std::string& text, bool with_git_blob) const {
    write_text(folder_ / "file", text);
    return hash_file(folder_ / "file", with_git_blob, cancel_, [](auto) {});
  }

  TempDir folder_;
  Cancel cancel_;
};

TEST_F(FileHashesTest, AreThoseOfSha256sumAndGit) {
  const FileHashes hello = of("hello\n", true);
  EXPECT_EQ(hello.bytes, 6U);
  EXPECT_EQ(hello.sha256, kHelloSha256);
  EXPECT_EQ(hello.git_blob, kHelloBlob);
  EXPECT_EQ(of("", true).git_blob, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(of("hello\n", false).git_blob, "");
}

TEST_F(FileHashesTest, DifferencesAreNamed) {
  const FileHashes hello = of("hello\n", true);
  EXPECT_EQ(difference({}, hello), "");
  EXPECT_EQ(difference({.bytes = 6, .sha256 = kHelloSha256, .git_blob = kHelloBlob}, hello), "");
  EXPECT_EQ(difference({.bytes = 7}, hello), "it has 6 bytes, expected 7");
  const std::string other(64, 'a');
  EXPECT_EQ(difference({.sha256 = other}, hello),
            std::string("its SHA-256 is ") + kHelloSha256 + ", expected " + other);
  EXPECT_EQ(difference({.sha256 = other, .record_entry = "\"a/b\" in r.json"}, hello),
            std::string("its SHA-256 is ") + kHelloSha256 + ", expected " + other +
                " (the hash of the first download); if the publisher changed the file, delete the "
                "entry \"a/b\" in "
                "r.json");
  const std::string other_blob(40, 'b');
  EXPECT_EQ(difference({.git_blob = other_blob}, hello),
            std::string("its git blob's id is ") + kHelloBlob + ", expected " + other_blob);
}

TEST_F(FileHashesTest, AHubsEtagIsAHashOfEitherKind) {
  ExpectedFile expected;
  expected.add_etag("686897696a7c876b7e-5");  // of another server
  EXPECT_FALSE(expected.has_hash());
  expected.add_etag(kHelloBlob);
  expected.add_etag(kHelloSha256);
  EXPECT_EQ(expected.git_blob, kHelloBlob);
  EXPECT_EQ(expected.sha256, kHelloSha256);
  expected.add_etag(std::string(64, 'a'));  // what is known stays
  EXPECT_EQ(expected.sha256, kHelloSha256);
}

TEST(FileHashes, OfASizeFarFromTheRoundedOneAreAnothers) {
  const ExpectedFile expected{.bytes_about = 1000};
  for (const std::uint64_t bytes : {980U, 1000U, 1020U}) {
    EXPECT_EQ(difference(expected, {.bytes = bytes}), "");
  }
  EXPECT_EQ(difference(expected, {.bytes = 21}), "it has 21 bytes, expected about 1000");
  EXPECT_EQ(difference(expected, {.bytes = 1021}), "it has 1021 bytes, expected about 1000");
}

TEST_F(FileHashesTest, ACancelledReadingEnds) {
  cancel_.request(SIGINT);
  EXPECT_EQ(thrown_kind([&] { of("hello\n", false); }), ErrorKind::kInterrupted);
}

TEST_F(FileHashesTest, ARecordKeepsFirstHashes) {
  HashRecord(folder_.path()).add("a/config.json", kHelloSha256);
  HashRecord(folder_.path()).add("b/config.json", std::string(64, 'b'));
  HashRecord record(folder_.path());
  EXPECT_EQ(record.find("a/config.json"), kHelloSha256);
  EXPECT_EQ(record.find("c/config.json"), "");
  EXPECT_EQ(record.entry("a/config.json"),
            "\"a/config.json\" in " + (folder_ / "virnucpro-hashes.json").string());
  record.remove("a");
  EXPECT_EQ(HashRecord(folder_.path()).find("a/config.json"), "");
  EXPECT_EQ(HashRecord(folder_.path()).find("b/config.json"), std::string(64, 'b'));
  record.remove("b");
  EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(FileHashesTest, ADamagedRecordIsRefused) {
  for (const char* text : {"", "{}x", R"({"schema": "other"})", R"({"files": {"a/b": "12"}})",
                           R"({"files": ["a"]})"}) {
    write_text(folder_ / "virnucpro-hashes.json", text);
    EXPECT_EQ(thrown_kind([&] { HashRecord record(folder_.path()); }), ErrorKind::kJson) << text;
  }
}

}  // namespace
}  // namespace virnucpro

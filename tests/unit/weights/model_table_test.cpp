#include "weights/model_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kShare =
    std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "share" / "virnucpro";

std::string table_text(const std::string& models) {
  return fmt::format(R"({{"schema": "virnucpro-models-1", "models": [{}]}})", models);
}

std::string why_refused(const std::string& models) {
  return reason_of(ErrorKind::kJson, [&] { parse_model_table(table_text(models), "t.json"); });
}

// A model of the source url with one file.
std::string model_with(const std::string& model, const std::string& file) {
  return fmt::format(
      R"({{"name": "m", "source": "url"{}, "files": [{{"name": "f", "urls": ["https://a/f"]{}}}]}})",
      model, file);
}

TEST(ModelTable, TheInstalledOneHasTheModelsOfTheCommand) {
  const ModelTable table = installed_model_table(kShare);
  for (const char* name : {"dnabert-s", "esm2-3b", "esm2-3b-fair", "300", "500"}) {
    ASSERT_NE(table.find(name), nullptr) << name;
  }
  EXPECT_EQ(table.models.size(), 5U);
  EXPECT_EQ(table.find("esm2-3b-fair")->instead_of, "esm2-3b");
  EXPECT_EQ(table.find("dnabert-s")->files[0].bytes, 468320053U);
  EXPECT_EQ(table.find("other"), nullptr);
}

TEST(ModelTable, NothingOfTheModelsIsInvented) {
  const ModelTable table = installed_model_table(kShare);
  for (const char* name : {"300", "500"}) {
    const TableFile& file = table.find(name)->files.at(0);
    EXPECT_EQ(file.sha256, "");
    EXPECT_EQ(file.git_blob.size(), 40U);
    EXPECT_EQ(file.bytes, std::nullopt);
  }
  for (const TableModel& model : table.models) EXPECT_EQ(model.licence, "");
}

TEST(ModelTable, SizesSayHowExactTheyAre) {
  const ModelTable table = installed_model_table(kShare);
  EXPECT_EQ(size_text(table.find("300")->size()), "size not known");
  EXPECT_EQ(size_text(table.find("esm2-3b")->size()), "about 11.4 GB");
  EXPECT_EQ(size_text(table.find("dnabert-s")->size()), "about 468.5 MB");
  EXPECT_EQ(size_text(std::uint64_t{999}), "999 bytes");
  EXPECT_EQ(size_text(std::uint64_t{1500}), "1.50 kB");
}

TEST(ModelTable, MirrorsAndReplacement) {
  ModelTable table =
      parse_model_table(table_text(model_with("", R"(, "bytes": 5, "sha256": null)")), "t.json");
  EXPECT_EQ(table.find("m")->files[0].bytes, 5U);
  const std::string other =
      R"({"name": "m", "source": "url", "files": [{"name": "g", "urls": ["https://a/g", "http://b/g"]}]})";
  table.add(parse_model_table(table_text(other), "u.json"));
  ASSERT_EQ(table.models.size(), 1U);
  EXPECT_EQ(table.models[0].files[0].name, "g");
  EXPECT_EQ(table.models[0].files[0].urls.size(), 2U);
}

TEST(ModelTable, NamesCannotLeaveTheirFolder) {
  for (const char* name : {"..", ".", "a/b", "/a", "-o", ".hidden", "a b", "a'b", "a$b",
                           "a\\u0000b", "a\\u001bb", "a\\u202eb", "a\\\\b"}) {
    const std::string file = fmt::format(
        R"({{"name": "m", "source": "url", "files": [{{"name": "{}", "urls": ["https://a/f"]}}]}})",
        name);
    EXPECT_THAT(why_refused(file), HasSubstr("a name of letters, digits")) << name;
    EXPECT_THAT(why_refused(model_with(fmt::format(R"(, "folder": "{}")", name), "")),
                HasSubstr("a name of letters, digits"))
        << name;
  }
}

TEST(ModelTable, WhatIsWrittenInTheWrongPlaceIsRefused) {
  const std::string hash(64, 'a');
  EXPECT_THAT(why_refused(model_with("", R"(, "sha265": ")" + hash + '"')), HasSubstr("sha265"));
  EXPECT_THAT(why_refused(model_with(R"(, "sha256": ")" + hash + '"', "")), HasSubstr("sha256"));
  EXPECT_THAT(why_refused(model_with("", R"(, "sha256": "abc")")), HasSubstr("64 hexadecimal"));
  EXPECT_THAT(why_refused(model_with("", R"(, "sha256": 5)")), HasSubstr("expected text"));
  EXPECT_THAT(why_refused(model_with("", R"(, "bytes": "5")")), HasSubstr("number of bytes"));
  EXPECT_THAT(why_refused(model_with("", R"(, "bytes": -5)")), HasSubstr("number of bytes"));
  EXPECT_THAT(why_refused(model_with("", R"(, "bytes": 1e40)")), HasSubstr("number of bytes"));
  EXPECT_THAT(why_refused(model_with(R"(, "repository": "o/n")", "")), HasSubstr("repository"));
  EXPECT_THAT(why_refused("[]"), HasSubstr("has the wrong type"));
  EXPECT_THAT(why_refused(R"({"name": "m", "files": {}})"),
              HasSubstr("files: this key is not known here, or its value has the wrong type"));
}

TEST(ModelTable, EveryModelIsComplete) {
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "url"})"), HasSubstr("no files"));
  EXPECT_THAT(why_refused(R"({"source": "url"})"), HasSubstr("needs a name"));
  EXPECT_THAT(why_refused(R"({"name": "all", "source": "url"})"), HasSubstr("needs a name"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "ftp"})"), HasSubstr("expected hugging-face"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "url", "files": [{"name": "f"}]})"),
              HasSubstr("the file f needs urls"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "url", "files": [{}]})"),
              HasSubstr("no name"));
  EXPECT_THAT(why_refused(model_with("", "") + "," + model_with("", "")), HasSubstr("twice"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "github", "repository": "o/n",
                              "files": [{"name": "f"}]})"),
              HasSubstr("needs a revision"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "hugging-face", "repository": "o/n",
                              "revision": "v1", "files": [{"name": "f"}]})"),
              HasSubstr("only models of the source github may have"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "url", "files": [
                              {"name": "virnucpro-hashes.json", "urls": ["https://a/b"]}]})"),
              HasSubstr("is reserved for hashes"));
  EXPECT_THAT(why_refused(R"({"name": "m", "source": "hugging-face", "repository": "../n"})"),
              HasSubstr("organisation/name"));
}

TEST(ModelTable, UrlsAreOfHttpAlone) {
  for (const char* url :
       {"file:///etc/passwd", "ftp://a/f", "https://a/f'; rm -r /", "https://a b/"}) {
    const std::string model = fmt::format(
        R"({{"name": "m", "source": "url", "files": [{{"name": "f", "urls": ["{}"]}}]}})", url);
    EXPECT_THAT(why_refused(model), HasSubstr("a URL of https or http")) << url;
  }
}

TEST(ModelTable, AMemberCannotLookLikeAPath) {
  for (const char* member : {"models/*/files/*/urls/*", "models/*/name", "models/*"}) {
    const std::string text =
        fmt::format(R"({{"schema": "virnucpro-models-1", "{}": "x"}})", member);
    EXPECT_THROW(parse_model_table(text, "t.json"), Error) << member;
  }
}

TEST(ModelTable, AnotherSchemaIsRefused) {
  for (const char* text : {"", "{}", "[]", R"({"schema": "other", "models": []})"}) {
    EXPECT_THROW(parse_model_table(text, "t.json"), Error) << text;
  }
}

}  // namespace
}  // namespace virnucpro

#include "download/sources.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "download/attempts.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

HttpReply redirect_to(const std::string& location) {
  HttpReply reply{.status = 302};
  reply.headers.add("Location: " + location);
  return reply;
}

TEST(Redirects, NeverLeadFromHttpsToHttp) {
  EXPECT_EQ(redirect_target("https://a/x", redirect_to("https://b/y")), "https://b/y");
  EXPECT_EQ(redirect_target("http://a/x", redirect_to("https://b/y")), "https://b/y");
  for (const char* location : {"http://a/x", "file:///etc/passwd", ""}) {
    EXPECT_EQ(thrown_kind([&] { redirect_target("https://a/x", redirect_to(location)); }),
              ErrorKind::kNetwork)
        << location;
  }
}

class SourcesTest : public ::testing::Test {
 protected:
  ScopedVariable endpoint_{"HF_ENDPOINT", {}};
  ScopedVariable token_{"HF_TOKEN", {}};
  ScopedVariable offline_{"HF_HUB_OFFLINE", {}};
  Cancel cancel_;
};

TEST_F(SourcesTest, TheTokenIsForTheHubsOwnOriginAlone) {
  const ScopedVariable endpoint("HF_ENDPOINT", "https://hub.example/");
  const ScopedVariable token("HF_TOKEN", "hf_secret");
  const Sources sources(source_settings("", ""), cancel_);
  EXPECT_EQ(sources.token_for("https://hub.example/a/b"), "hf_secret");
  EXPECT_EQ(sources.token_for("https://HUB.example:443/a/b"), "hf_secret");
  for (const char* url :
       {"http://hub.example/a", "https://hub.example:8443/a", "https://cdn.hub.example/a",
        "https://hub.example.evil/a", "https://hub.example@evil/a", "nonsense"}) {
    EXPECT_EQ(sources.token_for(url), "") << url;
  }
}

TEST_F(SourcesTest, Urls) {
  const Sources sources(source_settings("http://mirror:8/g/", "https://fair.example"), cancel_);
  const TableFile file{.name = "f.bin"};
  const TableModel hub{.name = "m", .source = ModelSource::kHuggingFace, .repository = "o/n"};
  EXPECT_EQ(sources.urls_of(hub, file).front(), "https://huggingface.co/o/n/resolve/main/f.bin");
  EXPECT_EQ(sources.urls_of(hub, file, "c0ffee").front(),
            "https://huggingface.co/o/n/resolve/c0ffee/f.bin");
  const TableModel github{
      .name = "m", .source = ModelSource::kGitHub, .repository = "o/n", .revision = "abc"};
  EXPECT_EQ(sources.urls_of(github, file).front(), "http://mirror:8/g/o/n/abc/f.bin");
  const TableModel fair{.name = "m", .source = ModelSource::kFairEsm};
  EXPECT_EQ(sources.urls_of(fair, file).front(), "https://fair.example/f.bin");
}

TEST_F(SourcesTest, UnusableSettings) {
  EXPECT_EQ(thrown_kind([] { source_settings("ftp://mirror", ""); }), ErrorKind::kUsage);
  const ScopedVariable token("HF_TOKEN", "two\nlines");
  EXPECT_EQ(thrown_kind([] { source_settings("", ""); }), ErrorKind::kUsage);
}

TEST_F(SourcesTest, OfflineIsAnError) {
  EXPECT_NO_THROW(Sources(source_settings("", ""), cancel_).require_online());
  const ScopedVariable offline("HF_HUB_OFFLINE", "1");
  EXPECT_EQ(thrown_kind([&] { Sources(source_settings("", ""), cancel_).require_online(); }),
            ErrorKind::kNetwork);
}

TEST(Attempts, WhatMayPass) {
  for (const int status : {408, 429, 500, 503}) EXPECT_TRUE(may_pass({.status = status}));
  for (const int status : {400, 401, 403, 404, 410}) EXPECT_FALSE(may_pass({.status = status}));
  EXPECT_TRUE(may_pass({.failure = "the connection was lost"}));
  EXPECT_FALSE(may_pass({.failure = "the certificate is wrong", .hopeless = true}));
}

TEST(Attempts, AreLimited) {
  const Cancel cancel;
  Attempts attempts(1, cancel);
  EXPECT_TRUE(attempts.wait_for_next("busy", std::nullopt));
  EXPECT_FALSE(attempts.wait_for_next("busy", std::nullopt));
  attempts.start_over();
  EXPECT_TRUE(attempts.wait_for_next("busy", std::nullopt));
}

}  // namespace
}  // namespace virnucpro

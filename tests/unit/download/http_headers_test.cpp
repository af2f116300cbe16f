#include "download/http_headers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace virnucpro {
namespace {

TEST(HttpHeaders, NamesInAnyCaseAndTheLastReply) {
  HttpHeaders headers;
  for (const char* line :
       {"HTTP/1.1 100 Continue\r\n", "X-Old: 1\r\n", "\r\n", "HTTP/1.1 302 Found\r\n",
        "Location:  https://cdn/x \r\n", "x-LINKED-size: 12\r\n", "no colon\r\n"}) {
    headers.add(line);
  }
  EXPECT_EQ(headers.get("location"), "https://cdn/x");
  EXPECT_EQ(headers.number("x-linked-size"), 12U);
  EXPECT_EQ(headers.get("x-old"), "");
}

TEST(HttpHeaders, AreBounded) {
  HttpHeaders headers;
  for (int i = 0; i < 1000; ++i) {
    headers.add("X-" + std::to_string(i) + ": " + std::string(1000, 'a'));
  }
  EXPECT_NE(headers.get("x-0"), "");
  EXPECT_EQ(headers.get("x-999"), "");
}

TEST(HttpHeaders, NumbersAreOnlyNumbers) {
  HttpHeaders headers;
  for (const char* text : {"-1", "1e3", "99999999999999999999", "", "1,2"}) {
    headers.add("HTTP/1.1 200 OK");
    headers.add(std::string("Content-Length: ") + text);
    EXPECT_EQ(headers.number("content-length"), std::nullopt) << text;
  }
}

TEST(ContentRange, Parts) {
  const auto range = parse_content_range("bytes 100-199/200");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 100U);
  EXPECT_EQ(range->last, 199U);
  EXPECT_EQ(range->total, 200U);
  const auto open = parse_content_range("bytes 5-9/*");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->total, std::nullopt);
}

TEST(ContentRange, WhatIsNone) {
  for (const char* text : {"", "bytes", "bytes ", "bytes 1-2", "bytes 2-1/9", "bytes 1-9/9",
                           "bytes */9", "bytes -1-2/9", "items 1-2/9", "bytes 1/2-9", "bytes 1-2/x",
                           "bytes 1-99999999999999999999/*"}) {
    EXPECT_EQ(parse_content_range(text), std::nullopt) << text;
  }
}

TEST(Etag, ValueAndStrength) {
  EXPECT_EQ(etag_value("\"abc\""), "abc");
  EXPECT_EQ(etag_value("W/\"abc\""), "abc");
  EXPECT_EQ(etag_value("abc"), "abc");
  EXPECT_TRUE(is_strong_etag("\"abc\""));
  for (const char* text : {"W/\"abc\"", "abc", "", "\"\"", "\""}) {
    EXPECT_FALSE(is_strong_etag(text)) << text;
  }
}

TEST(Urls, Origins) {
  EXPECT_EQ(origin_of("HTTPS://Host/a?b"), "https://host:443");
  EXPECT_EQ(origin_of("http://host:8080/a"), "http://host:8080");
  EXPECT_EQ(origin_of("http://[::1]/a"), "http://[::1]:80");
  EXPECT_EQ(origin_of("http://[::1]:8/a"), "http://[::1]:8");
  for (const char* url :
       {"", "host/a", "ftp://host/", "file:///etc/passwd", "https://", "https:///a",
        "https://user@host/", "https://ho st/", "https://host/\n"}) {
    EXPECT_EQ(origin_of(url), "") << url;
  }
}

TEST(Urls, Redirects) {
  constexpr const char* kBase = "https://host:1/a/b?c=/d";
  EXPECT_EQ(resolve_url(kBase, "http://other/x"), "http://other/x");
  EXPECT_EQ(resolve_url(kBase, "//other/x"), "https://other/x");
  EXPECT_EQ(resolve_url(kBase, "/x?y=https://z/"), "https://host:1/x?y=https://z/");
  EXPECT_EQ(resolve_url(kBase, "x"), "https://host:1/a/x");
  EXPECT_EQ(resolve_url("https://host", "x"), "https://host/x");
  for (const char* location : {"", "file:///etc/passwd", "ftp://host/x", "/a b"}) {
    EXPECT_EQ(resolve_url(kBase, location), "") << location;
  }
}

}  // namespace
}  // namespace virnucpro

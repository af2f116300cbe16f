#include "download/curl_library.hpp"

#include <gtest/gtest.h>

#include <cstdarg>
#include <string>
#include <vector>

// libcurl's own signature has an enumeration before the dots, which clang warns of.
#pragma GCC diagnostic ignored "-Wvarargs"

namespace virnucpro {
namespace {

// Values by number of option; the numbers are those of libcurl's interface.
constexpr int kBits = 181;             // CURLOPT_PROTOCOLS
constexpr int kName = 10318;           // CURLOPT_PROTOCOLS_STR, since 7.85
std::vector<std::string> options_set;  // NOLINT: a variadic C function has no other place for it

CURLcode set_new(CURL*, CURLoption option, ...) {
  va_list rest;
  va_start(rest, option);
  options_set.push_back(option == kName ? va_arg(rest, const char*)
                                        : std::to_string(va_arg(rest, long)));
  va_end(rest);
  return CURLE_OK;
}

CURLcode set_old(CURL*, CURLoption option, ...) {
  if (option == kName) return CURLE_UNKNOWN_OPTION;
  EXPECT_EQ(int{option}, kBits);
  va_list rest;
  va_start(rest, option);
  options_set.push_back(std::to_string(va_arg(rest, long)));
  va_end(rest);
  return CURLE_OK;
}

CURLcode set_nothing(CURL*, CURLoption, ...) {
  return CURLE_UNKNOWN_OPTION;
}

CURLcode allow(decltype(&curl_easy_setopt) set, const std::string& scheme) {
  options_set.clear();
  return allow_only({.easy_setopt = set}, nullptr, scheme);
}

TEST(AllowOnly, NamesTheScheme) {
  EXPECT_EQ(allow(set_new, "https"), CURLE_OK);
  EXPECT_EQ(options_set, std::vector<std::string>{"https"});
}

TEST(AllowOnly, SetsABitInALibcurlThatKnowsNoNames) {
  EXPECT_EQ(allow(set_old, "https"), CURLE_OK);
  EXPECT_EQ(options_set, std::vector<std::string>{"2"});
  EXPECT_EQ(allow(set_old, "http"), CURLE_OK);
  EXPECT_EQ(options_set, std::vector<std::string>{"1"});
}

TEST(AllowOnly, FailsWhereNeitherIsKnown) {
  EXPECT_EQ(allow(set_nothing, "https"), CURLE_UNKNOWN_OPTION);
}

}  // namespace
}  // namespace virnucpro

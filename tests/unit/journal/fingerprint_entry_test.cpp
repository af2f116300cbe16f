#include "journal/fingerprint_entry.hpp"

#include <gtest/gtest.h>

#include <string>

namespace virnucpro {
namespace {

TEST(FingerprintEntry, IsWhatARunWrites) {
  EXPECT_EQ(why_no_entry("chunk_size", "500"), "");
  EXPECT_EQ(why_no_entry("reference", ""), "");
  EXPECT_EQ(why_no_entry("input_000001", "/data/new\nline.fa"), "");
  EXPECT_EQ(why_no_entry("stem", "caf\xe9.v2"), "");
  for (const char* stem : {"", ".", "..", "../x", "a/b", "/", "a\nb"}) {
    EXPECT_NE(why_no_entry("stem", stem), "") << stem;
  }
  EXPECT_NE(why_no_entry("input_000001", std::string("a\0b", 3)), "");
  EXPECT_NE(why_no_entry("input_000001", std::string(70'000, 'a')), "");
  for (const std::string key : {"", "Key", "a b", "\x1b", "a/b"}) {
    EXPECT_NE(why_no_entry(key, "1"), "") << key;
  }
  EXPECT_NE(why_no_entry(std::string(65, 'k'), "1"), "");
}

}  // namespace
}  // namespace virnucpro

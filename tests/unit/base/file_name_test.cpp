#include "base/file_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace virnucpro {
namespace {

TEST(FileName, IsOnePartOfAPath) {
  for (const char* name : {"a", ".a", "...", "a b", "caf\xc3\xa9", "\xff", "a.fa.gz"}) {
    EXPECT_TRUE(is_file_name(name)) << name;
  }
  for (const char* name : {"", ".", "..", "/", "a/", "/a", "../a", "a\n", "\x1b[2J", "\x7f"}) {
    EXPECT_FALSE(is_file_name(name)) << name;
  }
  EXPECT_FALSE(is_file_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_file_name(std::string(255, 'a')));
  EXPECT_FALSE(is_file_name(std::string(256, 'a')));
}

}  // namespace
}  // namespace virnucpro

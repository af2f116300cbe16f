#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace virnucpro {

// How thorough the tests are; tests/lengths.py explains each value.
enum class TestLength { kCheck, kFull, kLong };

// Reads VIRNUCPRO_TEST_LENGTH; kCheck if it is not set. An unknown word fails the calling test.
inline TestLength test_length() {
  const char* const asked = std::getenv("VIRNUCPRO_TEST_LENGTH");
  const std::string word = asked == nullptr ? "check" : asked;
  if (word == "check") return TestLength::kCheck;
  if (word == "full") return TestLength::kFull;
  if (word == "long") return TestLength::kLong;
  throw std::invalid_argument("VIRNUCPRO_TEST_LENGTH=" + word + ": expected check, full, long");
}

}  // namespace virnucpro

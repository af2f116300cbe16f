#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace virnucpro {

// How long the tests take; tests/lengths.py says what each stands for.
enum class TestLength { kCheck, kFull, kLong };

// VIRNUCPRO_TEST_LENGTH, kCheck without it; an unknown word fails the test that asks.
inline TestLength test_length() {
  const char* const asked = std::getenv("VIRNUCPRO_TEST_LENGTH");
  const std::string word = asked == nullptr ? "check" : asked;
  if (word == "check") return TestLength::kCheck;
  if (word == "full") return TestLength::kFull;
  if (word == "long") return TestLength::kLong;
  throw std::invalid_argument("VIRNUCPRO_TEST_LENGTH=" + word + ": expected check, full, long");
}

}  // namespace virnucpro

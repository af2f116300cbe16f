
#include <gtest/gtest.h>

#include <algorithm>

#include "base/hash.hpp"

namespace virnucpro {
namespace {

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(as_bytes(text));
  return hash.hex();
}

// NIST's examples for FIPS 180-4, and the empty text.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text(size, 'x');
    for (const std::size_t step : {1U, 3U, 55U, 63U, 64U, 65U}) {
      Sha256 hash;
      for (std::size_t at = 0; at < size; at += step) {
        hash.update(as_bytes(std::string_view(text).substr(at, step)));
      }
      EXPECT_EQ(hash.hex(), sha256(text)) << size << " in pieces of " << step;
    }
  }
}

TEST(Sha256, GoesOnAfterItWasAsked) {
  Sha256 hash;
  hash.update(as_bytes("a"));
  EXPECT_EQ(hash.hex(), sha256("a"));
  hash.update(as_bytes("bc"));
  EXPECT_EQ(hash.hex(), sha256("abc"));
}

}  // namespace
}  // namespace virnucpro

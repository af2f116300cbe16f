#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace virnucpro {
namespace {

TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(crc32c(as_bytes("")), 0U);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\0'))), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\xff'))), 0x62a8ab43U);
}

TEST(Crc32c, GoesOnFromAnEarlierOne) {
  const std::string text = "The quick brown fox jumps over the lazy dog, twice.";
  const std::uint32_t whole = crc32c(as_bytes(text));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t first = crc32c(as_bytes(text).first(cut));
    EXPECT_EQ(crc32c(as_bytes(text).subspan(cut), first), whole);
  }
}

TEST(Fnv1a, GivesTheKnownAnswers) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(SplitMix64, GivesTheKnownAnswers) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(splitmix64(kSplitMixStep), 0x6e789e6aa1b965f4U);
}

TEST(ContentHash, IsXxh3Of128Bits) {
  EXPECT_EQ(ContentHash().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text(1000, 'x');
  ContentHash whole;
  whole.update(as_bytes(text));
  ContentHash pieces;
  for (std::size_t i = 0; i < text.size(); i += 7) {
    pieces.update(as_bytes(std::string_view(text).substr(i, 7)));
  }
  EXPECT_EQ(whole.hex(), pieces.hex());
  EXPECT_EQ(whole.hex().size(), 32U);
}

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

#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

ByteReader reader_of(std::string_view bytes) {
  return {as_bytes(bytes), "file", ErrorKind::kWeightsTruncated};
}

template <typename Body>
std::string why(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.detail();
  }
  return "";
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter out;
  out.number(std::uint16_t{0x0102}).number(1.0F).varint(300).text("ab");
  EXPECT_EQ(out.bytes(), std::string("\x02\x01\x00\x00\x80\x3f\xac\x02\x02"
                                     "ab",
                                     11));
}

TEST(Bytes, ComeBack) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  ByteWriter out;
  out.number(std::int32_t{-2}).number(0.5).varint(0).varint(127).varint(kMost).text("").text("id");
  ByteReader in = reader_of(out.bytes());
  EXPECT_EQ(in.number<std::int32_t>(), -2);
  EXPECT_EQ(in.number<double>(), 0.5);
  EXPECT_EQ(in.varint(), 0U);
  EXPECT_EQ(in.varint(), 127U);
  EXPECT_EQ(in.varint(), kMost);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), "id");
  EXPECT_EQ(in.left(), 0U);
}

TEST(Bytes, ACutNumberNamesItsPlace) {
  ByteReader in = reader_of("\x01\x02\x03");
  in.number<std::uint8_t>();
  try {
    in.number<std::uint32_t>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kWeightsTruncated);
    EXPECT_EQ(error.place().file, "file");
    EXPECT_EQ(error.place().offset, 1U);
    EXPECT_EQ(error.detail(), "ends within a field of 4 bytes");
  }
  EXPECT_EQ(in.number<std::uint16_t>(), 0x0302U);  // the failed reads took nothing
}

TEST(Bytes, NoReadLeavesThem) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  ByteReader in = reader_of("abc");
  in.read(1);
  EXPECT_NE(why([&] { in.read(3); }), "");
  EXPECT_NE(why([&] { in.read(kMost); }), "");
  EXPECT_EQ(why([&] { in.seek(4); }), "has an offset beyond its end");
  in.seek(3);
  EXPECT_EQ(in.read(0).size(), 0U);
}

TEST(Bytes, TextsAreNoLongerThanWhatIsLeft) {
  const std::string bytes = ByteWriter().varint(4).raw("abc").bytes();
  EXPECT_EQ(why([&] { reader_of(bytes).text(); }), "ends within a field of 4 bytes");
}

TEST(Bytes, VarintsHave64Bits) {
  const std::string nine(9, '\xff');
  EXPECT_EQ(reader_of(nine + '\x01').varint(), std::numeric_limits<std::uint64_t>::max());
  for (const char tenth : {'\x02', '\x80', '\xff'}) {
    EXPECT_EQ(why([&] { reader_of(nine + tenth + '\x01').varint(); }),
              "has a number of more than 64 bits");
  }
  EXPECT_EQ(why([&] { reader_of(nine).varint(); }), "ends within a field of 1 bytes");
}

TEST(Bytes, ItemsNeedTheirBytes) {
  EXPECT_EQ(reader_of("\x02xxxx").count(2), 2U);
  EXPECT_EQ(why([&] { reader_of("\x03xxxx").count(2); }),
            "names more items than its bytes can hold");
}

TEST(Bytes, AFormatHasItsOwnErrors) {
  class Row : public ByteReader {
   public:
    Row() : ByteReader({}, "row", ErrorKind::kJournalDamaged) {}

   private:
    Error error(std::string why) const override {
      return Error(ErrorKind::kJournalDamaged, file() + " " + why);
    }
    std::string why_cut(std::uint64_t /*size*/) const override { return "is cut"; }
  };
  EXPECT_EQ(why([] { Row().varint(); }), "row is cut");
  EXPECT_EQ(why([] { Row().seek(1); }), "row has an offset beyond its end");
}

TEST(Bytes, AValueLiesWithinItsBytes) {
  using Pair = std::array<std::uint16_t, 2>;
  const Pair pair{7, 9};
  const std::string bytes = std::move(ByteWriter().raw("x").raw(bytes_of(pair)).bytes());
  EXPECT_EQ(value_at<Pair>(bytes, 1), pair);
  EXPECT_EQ(thrown_kind([&] { value_at<Pair>(bytes, 2); }), ErrorKind::kInternal);
  EXPECT_EQ(thrown_kind([&] { value_at<Pair>(bytes, bytes.size() + 1); }), ErrorKind::kInternal);
}

}  // namespace
}  // namespace virnucpro

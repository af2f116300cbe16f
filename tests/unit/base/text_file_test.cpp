#include "base/text_file.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using Found = FileLines::Found;
using testing::ElementsAre;

class TextLines : public testing::Test {
 protected:
  std::vector<std::string> lines(std::size_t longest) const {
    std::vector<std::string> found;
    for_each_line(
        path_, [&](std::string_view line) { found.emplace_back(line); }, longest);
    return found;
  }

  const TempDir folder_;
  const std::filesystem::path path_ = folder_ / "lines";
};

TEST_F(TextLines, EachIsVisitedWithoutItsEnd) {
  write_text(path_, "a\n\nbcd\r\nnot ended");
  EXPECT_THAT(lines(10), ElementsAre("a", "", "bcd\r"));
  write_text(path_, "");
  EXPECT_THAT(lines(10), ElementsAre());
}

TEST_F(TextLines, ALongLineIsPassedAsEmpty) {
  write_text(path_, "1234\n12345\n" + std::string(3'000'000, 'x') + "\nend\n");
  EXPECT_THAT(lines(4), ElementsAre("1234", "", "", "end"));
}

TEST_F(TextLines, LinesAcrossBlocksAreWhole) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t size = 1; size < 3'000; size += 7) {
    expected.emplace_back(size, static_cast<char>('a' + size % 26));
    text += expected.back() + "\n";
  }
  write_text(path_, text);
  EXPECT_EQ(lines(3'000), expected);
}

TEST_F(TextLines, EachLineHasItsPlace) {
  write_text(path_, "ab\n" + std::string(600'000, 'x') + "\ncd");
  FileLines file(path_, 100);
  EXPECT_EQ(file.next(), Found::kLine);
  EXPECT_EQ(file.text(), "ab");
  EXPECT_EQ(file.next(), Found::kTooLong);
  EXPECT_EQ(file.offset(), 3U);
  EXPECT_EQ(file.text(), std::string(100, 'x'));
  EXPECT_EQ(file.next(), Found::kWithoutEnd);
  EXPECT_EQ(file.offset(), 600'004U);
  EXPECT_EQ(file.text(), "cd");
  EXPECT_EQ(file.next(), Found::kNone);
  EXPECT_EQ(file.next(), Found::kNone);
}

TEST_F(TextLines, AByteOrderMarkIsNoText) {
  write_text(path_,
             "\xef\xbb\xbf"
             "ab\n\xef\xbb\xbf"
             "cd\n");
  EXPECT_THAT(lines(10), ElementsAre("ab",
                                     "\xef\xbb\xbf"
                                     "cd"));
  FileLines file(path_, 100);
  EXPECT_EQ(file.next(), Found::kLine);
  EXPECT_EQ(file.offset(), 3U);
  EXPECT_EQ(read_small_text(path_, 100, ErrorKind::kJson),
            "ab\n\xef\xbb\xbf"
            "cd\n");
  write_text(path_, "\xef\xbb\xbf");
  EXPECT_THAT(lines(10), ElementsAre());
}

TEST_F(TextLines, Utf16IsNamed) {
  for (const char* start : {"\xff\xfe", "\xfe\xff"}) {
    write_text(path_, std::string(start) + "a");
    EXPECT_EQ(thrown_kind([&] { lines(10); }), ErrorKind::kInputFormat);
    EXPECT_EQ(thrown_kind([&] { read_small_text(path_, 10, ErrorKind::kJson); }), ErrorKind::kJson);
  }
}

TEST_F(TextLines, AFileThatIsCutMeanwhileIsAnError) {
  std::string text;
  while (text.size() < 2'000'000) text += "a line\n";
  write_text(path_, text);
  EXPECT_EQ(thrown_kind([&] {
              for_each_line(
                  path_, [&](std::string_view) { std::filesystem::resize_file(path_, 1'000'000); });
            }),
            ErrorKind::kInputChanged);
}

}  // namespace
}  // namespace virnucpro

#include "measure/compare/score_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/text.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kFrames = "Sequence_ID\tPrediction\tscore1\tscore2\n";

std::vector<IdRow> rows_of(const std::string& text) {
  const TempDir dir;
  write_text(dir / "table", text);
  ScoreTable table(dir / "table");
  std::vector<IdRow> rows;
  while (std::optional<IdRow> row = table.next()) rows.push_back(*row);
  return rows;
}

Error error_of_table(const std::string& text) {
  return thrown([&] { rows_of(text); });
}

TEST(ScoreTable, RowsOfFrames) {
  const auto rows = rows_of(std::string(kFrames) + "a_chunk_1F1\tvirus\t1e-05\t0.99999\n" +
                            "\tothers\t0.5\t0.5\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "a_chunk_1F1");
  EXPECT_EQ(rows[0].number, 1U);
  EXPECT_EQ(rows[0].content, "virus\t1e-05\t0.99999");
  EXPECT_EQ(rows[1].id, "");
  EXPECT_EQ(split_list(rows[1].content, '\t'),
            (std::vector<std::string_view>{"others", "0.5", "0.5"}));
}

TEST(ScoreTable, CommasAndLineEndsOfWindows) {
  const auto rows = rows_of("Modified_ID,Is_Virus\r\na,b_chunk_1,True\r\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, "a,b_chunk_1");
  EXPECT_EQ(rows[0].content, "True");
}

TEST(ScoreTable, ATabBetweenCommasMakesNoColumn) {
  const Error error = error_of_table("Modified_ID,Is_Virus\na,b\t_chunk_1,True\nc,True\tTrue\n");
  EXPECT_EQ(error.kind(), ErrorKind::kInputMalformed);
  EXPECT_EQ(error.place().record, 2U);
}

TEST(ScoreTable, SequencesMayHaveNoScoreAndTheNameOfAnInputIsNotCompared) {
  for (const auto& [column, name] : {std::pair{"", ""}, std::pair{"\tinput", "\tx/a.fa"}}) {
    const auto rows = rows_of(fmt::format(
        "sequence_id\tlength\tchunks\tchunks_scored\tframes\tvirus_chunks\tmax_virus_score\t"
        "mean_virus_score\tcall\treason{}\na\t0\t0\t0\t0\t0\tNA\tNA\tunscored\tempty{}\n",
        column, name));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].id, "a");
    EXPECT_EQ(rows[0].content, "0\t0\t0\t0\t0\tNA\tNA\tunscored\tempty");
  }
}

TEST(ScoreTable, WithoutRows) {
  EXPECT_TRUE(rows_of(kFrames).empty());
}

TEST(ScoreTable, OtherHeadersAreRefused) {
  for (const char* text : {"", "\n", "a\tb\n", "Sequence_ID\tPrediction\tscore1\n",
                           "Modified_ID\tIs_Virus\tmax_score_0\n"}) {
    EXPECT_EQ(error_of_table(text).kind(), ErrorKind::kInputFormat) << text;
  }
}

TEST(ScoreTable, ErrorsNameRowAndByte) {
  const std::string good = std::string(kFrames) + "a\tvirus\t0.1\t0.9\n";
  for (const auto& [row, said] : {std::pair{"b\tvirus\t0.1\n", "the row has 3 columns, not 4"},
                                  {"\n", "the row has 1 columns, not 4"},
                                  {"b\tmaybe\t0.1\t0.9\n", "Prediction is \"maybe\", not a label"},
                                  {"b\tvirus\t0.1\t0.9x\n", "score2 is \"0.9x\", not a number"},
                                  {"b\tvirus\t\t0.9\n", "score1 is \"\", not a number"},
                                  {"b\tvirus\t1e999\t0.9\n", "score1 is \"1e999\", not a number"},
                                  {"b\tvirus\tNA\t0.9\n", "score1 is \"NA\", not a number"}}) {
    const Error error = error_of_table(good + row);
    EXPECT_EQ(error.kind(), ErrorKind::kInputMalformed) << row;
    EXPECT_EQ(error.place().record, 2U) << row;
    EXPECT_EQ(error.place().offset, good.size()) << row;
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(ScoreTable, AnyCutWithinALineIsAnError) {
  const std::string text = std::string(kFrames) + "a\tvirus\t0.1\t0.9\n";
  for (std::size_t size = std::string(kFrames).size() + 1; size < text.size(); ++size) {
    EXPECT_EQ(error_of_table(text.substr(0, size)).kind(), ErrorKind::kInputTruncated) << size;
  }
}

TEST(ScoreTable, RowsHaveABound) {
  const std::string id(200'000, 'x');
  const Error error = error_of_table(kFrames + id + "\tvirus\t0.1\t0.9\n");
  EXPECT_EQ(error.kind(), ErrorKind::kInputMalformed);
  EXPECT_NE(std::string(error.what()).find("longer than 131072 bytes"), std::string::npos);
}

TEST(ScoreTable, NumbersThatAreNone) {
  EXPECT_EQ(score_value("1e-05"), 1e-05);
  EXPECT_TRUE(score_value("nan"));
  EXPECT_TRUE(score_value("-inf"));
  for (const char* text : {"", "NA", "+1", " 1", "1 ", "0x1", "1e"}) {
    EXPECT_FALSE(score_value(text)) << text;
  }
}

}  // namespace
}  // namespace virnucpro

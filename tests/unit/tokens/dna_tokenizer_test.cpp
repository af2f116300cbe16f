#include "tokens/dna_tokenizer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Tokens = std::vector<std::uint16_t>;

const std::filesystem::path kSource = VIRNUCPRO_SOURCE_DIR;

const std::string& published_json() {
  static const std::string kJson = read_small_text(
      kSource / "share/virnucpro/dnabert-s/tokenizer.json", kMaxJsonBytes, ErrorKind::kTokenizer);
  return kJson;
}

const DnaTokenizer& published() {
  static const DnaTokenizer kTokenizer = DnaTokenizer::parse(published_json(), "tokenizer.json");
  return kTokenizer;
}

// The smallest possible file, for tests to spoil in one place: its letters are A, C and -.
const std::string kSmall = R"({
  "version": "1.0", "truncation": null, "padding": null,
  "added_tokens": [
    {"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 2, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true}],
  "normalizer": null,
  "pre_tokenizer": {"type": "Whitespace"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                       "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
  "decoder": null,
  "model": {"type": "BPE", "dropout": null, "unk_token": "[UNK]",
    "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
    "byte_fallback": false,
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "A": 3, "C": 4, "AC": 5, "ACA": 6, "-": 7,
              "C-": 8},
    "merges": ["A C", "AC A", "C -"]}})";

std::string spoilt(const std::string& from, const std::string& to) {
  std::string json = kSmall;
  const std::size_t place = json.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return json.replace(place, from.size(), to);
}

void expect_refused(const std::string& json, const std::string& reason) {
  const Error error = thrown([&] { DnaTokenizer::parse(json, "t.json"); });
  EXPECT_TRUE(error.kind() == ErrorKind::kTokenizer || error.kind() == ErrorKind::kJson);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("t.json"), HasSubstr(reason)));
  EXPECT_LT(std::string(error.what()).size(), 1000U);
}

using Refusal = std::array<std::string, 3>;  // what is replaced, by what, and the reason
void expect_refused(const std::vector<Refusal>& refusals) {
  for (const auto& [from, to, reason] : refusals) expect_refused(spoilt(from, to), reason);
}

// Byte-pair encoding by its definition, merge by merge.
using Rules = std::vector<std::pair<std::string, std::string>>;
std::vector<std::string> merge_one_by_one(const std::string& word, const Rules& rules) {
  std::vector<std::string> parts;
  for (const char letter : word) parts.emplace_back(1, letter);
  while (true) {
    std::size_t best_rank = rules.size();
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rule = std::find(rules.begin(), rules.end(), std::pair(parts[i], parts[i + 1]));
      const auto rank = static_cast<std::size_t>(rule - rules.begin());
      if (rank < best_rank) {
        best_rank = rank;
        best = i;
      }
    }
    if (best_rank == rules.size()) return parts;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

struct RandomTable {
  std::vector<std::string> pieces;
  Rules rules;
};

RandomTable random_table(std::mt19937& random) {
  RandomTable table;
  const std::string letters = random() % 2 == 0 ? "AC" : "ACG";
  for (const char letter : letters) table.pieces.emplace_back(1, letter);
  for (std::size_t tries = 5 + random() % 40; tries > 0; --tries) {
    const std::string left = table.pieces[random() % table.pieces.size()];
    const std::string right = table.pieces[random() % table.pieces.size()];
    const std::string made = left + right;
    const auto known = std::find(table.pieces.begin(), table.pieces.end(), made);
    if (made.size() > 40 || known != table.pieces.end()) continue;
    table.pieces.push_back(made);
    table.rules.emplace_back(left, right);
  }
  return table;
}

std::string json_of(const RandomTable& table) {
  std::string vocabulary = R"("[UNK]": 0, "[CLS]": 1, "[SEP]": 2)";
  for (std::size_t i = 0; i < table.pieces.size(); ++i) {
    vocabulary += ", \"" + table.pieces[i] + "\": " + std::to_string(i + 3);
  }
  std::string merges;
  for (const auto& [left, right] : table.rules) {
    merges += (merges.empty() ? "\"" : ", \"") + std::string(left) + " " + right + "\"";
  }
  std::string json = kSmall;
  const std::size_t begin = json.find("\"vocab\"");
  return json.substr(0, begin) + "\"vocab\": {" + vocabulary + "}, \"merges\": [" + merges + "]}}";
}

TEST(DnaTokenizer, EncodesAsMergingOneByOneDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const RandomTable table = random_table(random);
    const DnaTokenizer tokenizer = DnaTokenizer::parse(json_of(table), "random.json");
    for (int text = 0; text < 20; ++text) {
      std::string word;
      const std::size_t length = 1 + random() % 60;
      const std::size_t letters = table.pieces[2].size() == 1 ? 3 : 2;
      for (std::size_t i = 0; i < length; ++i) word += table.pieces[random() % letters];
      Tokens expected{1};
      for (const std::string& part : merge_one_by_one(word, table.rules)) {
        const auto piece = std::find(table.pieces.begin(), table.pieces.end(), part);
        expected.push_back(static_cast<std::uint16_t>(piece - table.pieces.begin() + 3));
      }
      expected.push_back(2);
      ASSERT_EQ(tokenizer.encode(word), expected) << json_of(table) << '\n' << word;
    }
  }
}

// Each line of the golden file: a text as a JSON string, a tab, its tokens by `tokenizers` 0.13.3.
TEST(DnaTokenizer, GivesTheGoldenTokens) {
  std::ifstream golden(kSource / "tests/unit/tokens/golden_tokens.tsv");
  ASSERT_TRUE(golden);
  std::size_t cases = 0;
  for (std::string line; std::getline(golden, line); ++cases) {
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos);
    struct OneText : JsonVisitor {
      std::string text;
      void scalar(const JsonPath&, JsonScalar value) override {
        text = std::get<std::string>(value);
      }
    } reader;
    walk_json(line.substr(0, tab), "golden_tokens.tsv", reader);
    Tokens expected;
    std::istringstream numbers(line.substr(tab + 1));
    for (std::uint16_t token = 0; numbers >> token;) expected.push_back(token);
    EXPECT_EQ(published().encode(reader.text), expected) << line.substr(0, tab);
  }
  EXPECT_GE(cases, 30U);
}

TEST(DnaTokenizer, LoadsThePublishedFile) {
  const auto path = kSource / "share/virnucpro/dnabert-s/tokenizer.json";
  EXPECT_EQ(DnaTokenizer::load(path).vocabulary(), 4096U);
  EXPECT_EQ(published().encode(""), Tokens({1, 2}));
}

TEST(DnaTokenizer, AMissingFileIsNamed) {
  const Error error = thrown([] { DnaTokenizer::load("no/such/tokenizer.json"); });
  EXPECT_EQ(error.kind(), ErrorKind::kTokenizer);
  EXPECT_THAT(error.what(), HasSubstr("no/such/tokenizer.json"));
}

TEST(DnaTokenizer, MergesStayWithinWords) {
  const DnaTokenizer small = DnaTokenizer::parse(kSmall, "small.json");
  EXPECT_EQ(small.vocabulary(), 9U);
  EXPECT_EQ(small.encode("ACA"), Tokens({1, 6, 2}));
  EXPECT_EQ(small.encode("AC A"), Tokens({1, 5, 3, 2}));
  EXPECT_EQ(small.encode("C-"), Tokens({1, 4, 7, 2}));  // a letter and a sign are two words
  EXPECT_EQ(small.encode("ACNA"), Tokens({1, 5, 0, 3, 2}));
}

TEST(DnaTokenizer, BytesThatAreNotUtf8AreOneUnknownTokenEach) {
  EXPECT_EQ(published().encode("\xff\xc0\x80").size(), 5U);
  EXPECT_EQ(published().encode("\xed\xa0\x80").size(), 5U);  // a surrogate
  EXPECT_EQ(published().encode("\xe2\x82").size(), 4U);      // cut short
  EXPECT_EQ(published().encode("\xe2\x82\xac").size(), 3U);
  EXPECT_EQ(published().encode("\xe3\x80\x80").size(), 2U);  // a wide space
}

TEST(DnaTokenizer, ALongTextTakesTimeLinearInItsLength) {
  constexpr std::size_t kLetters = 1U << 20U;
  std::string text;
  std::mt19937 random(11);
  for (std::size_t i = 0; i < kLetters; ++i) text += "ACGT"[random() % 4];
  EXPECT_GT(published().encode(text).size(), kLetters / 8);
  EXPECT_GT(published().encode(std::string(kLetters, 'A')).size(), kLetters / 33);
  EXPECT_EQ(published().encode(std::string(kLetters, 'N')).size(), kLetters + 2);
  EXPECT_EQ(published().encode(std::string(kLetters, '[')).size(), kLetters + 2);
}

TEST(DnaTokenizer, AcceptsWhatDoesNotChangeTokens) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"null", "null"},  // the file as it is
      {R"("padding": null)", R"("padding": {"strategy": {"Fixed": 9}})"},
      {R"("lstrip": false)", R"("lstrip": true)"},
      {R"(["A C", "AC A", "C -"])", R"([["A","C"],["AC","A"],["C","-"]])"},
      {R"("byte_fallback": false)", R"("ignore_merges": false)"},
      {R"("end_of_word_suffix": null)", R"("end_of_word_suffix": "")"}};
  for (const auto& [from, to] : changes) {
    const DnaTokenizer changed = DnaTokenizer::parse(spoilt(from, to), "t.json");
    EXPECT_EQ(changed.encode("ACA [SEP] ACN"), Tokens({1, 6, 2, 5, 0, 2})) << to;
  }
}

TEST(DnaTokenizer, RefusesOtherKindsOfTokenizers) {
  expect_refused("{}", "version is missing");
  expect_refused("[]", "version is missing");
  expect_refused(
      {{R"("1.0")", R"("2.0")", R"(version is "2.0")"},
       {R"("BPE")", R"("WordPiece")", R"(model.type is "WordPiece")"},
       {R"("Whitespace")", R"("ByteLevel")", "pre_tokenizer.type"},
       {R"({"type": "Whitespace"})", "null", "pre_tokenizer"},
       {R"("normalizer": null)", R"("normalizer": {"type": "Lowercase"})", "normalizer.type"},
       {R"("dropout": null)", R"("dropout": 0.1)", "model.dropout is 0.1"},
       {R"("fuse_unk": false)", R"("fuse_unk": true)", "model.fuse_unk is true"},
       {R"("byte_fallback": false)", R"("byte_fallback": true)", "byte_fallback"},
       {R"("byte_fallback": false)", R"("ignore_merges": true)", "ignore_merges"},
       {R"("continuing_subword_prefix": null)", R"("continuing_subword_prefix": "##")",
        "continuing_subword_prefix"},
       {R"("[UNK]",)", "null,", "model.unk_token is null"},
       {R"("unk_token": "[UNK]",)", "", "model.unk_token is missing"},
       {R"("unk_token": "[UNK]")", R"("unk_token": "[X]")", R"("[X]")"},
       {"TemplateProcessing", "BertProcessing", "post_processor.type"},
       {R"({"Sequence": {"id": "A", "type_id": 0}},)", "", "post_processor.single"},
       {R"({"Sequence": {"id": "A")", R"({"Sequence": {"id": "B")", R"(is "B")"},
       {R"("ids": [1])", R"("ids": [2])", "special_tokens"},
       {R"("single_word": false)", R"("single_word": true)", "single_word"},
       {R"("normalized": false)", R"("normalized": true)", "normalized"},
       {R"({"id": 1,)", R"({"id": 3,)", "added_tokens[0]"},
       {R"({"id": 1,)", "{", "added_tokens[0]"},
       {R"("content": "[SEP]")", R"("content": "[S P]")", "white space"}});
}

TEST(DnaTokenizer, RefusesBadVocabulariesAndMerges) {
  std::string merges;
  for (int i = 0; i < 65536; ++i) merges += R"("A C",)";
  expect_refused({{R"("C": 4)", R"("C": 3)", "token 3 occurs twice"},
                  {R"("C": 4)", R"("A": 4)", "twice"},
                  {R"("C": 4)", R"("C": 65535)", "model.vocab.C is 65535"},
                  {R"("C": 4)", R"("C": -4)", "model.vocab.C is -4"},
                  {R"("C": 4)", R"("C": 4.5)", "model.vocab.C"},
                  {R"("C": 4)", R"("C": {"x": 4})", "model.vocab.C.x"},
                  {R"("C": 4)", "\"\xc3\xa9\": 4", "ASCII"},
                  {R"("A C")", R"("A T")", R"("T")"},
                  {R"("A C")", R"("C A")", R"("CA")"},
                  {R"("A C")", R"("AC")", "a space between"},
                  {R"("A C")", R"("A C ")", "a space between"},
                  {R"("A C")", "7", "model.merges[0] is 7"},
                  {R"("A C")", merges + R"("A C")", "more than 65535 merges"},
                  {R"("ids": [1])", R"("ids": [1, 1])", "expected one token"},
                  {R"("A C")", R"(["A", "C", "A"])", "two tokens"},
                  {R"("A C")", R"(["A"])", "model.merges[0]"},
                  {R"("A C", "AC A")", R"("AC A", "A C")", "no earlier merge"},
                  {R"("AC A")", R"("A C")", "exists already"},
                  {R"(["A C", "AC A", "C -"])", R"({"x": "A C"})", "model.merges.x"}});
}

TEST(DnaTokenizer, RefusesTokensThatAreTooLong) {
  std::string vocabulary = R"("[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "A": 3)";
  std::string merges;
  std::string piece = "A";
  for (int token = 4; token < 12; ++token) {
    merges += (merges.empty() ? R"(")" : R"(, ")") + std::string(piece) + " " + piece + R"(")";
    piece += piece;
    vocabulary += R"(, ")" + piece + R"(": )" + std::to_string(token);
  }
  const std::string head = kSmall.substr(0, kSmall.find(R"("vocab")"));
  expect_refused(head + R"("vocab": {)" + vocabulary + R"(}, "merges": [)" + merges + "]}}",
                 "more than 64 letters");
}

TEST(DnaTokenizer, RefusesAFileCutAnywhere) {
  for (std::size_t size = 0; size < kSmall.size(); ++size) {
    EXPECT_THROW(DnaTokenizer::parse(kSmall.substr(0, size), "cut.json"), Error) << size;
  }
  const std::string& json = published_json();
  const std::size_t end = json.rfind('}');
  for (std::size_t size = 1; size < end; size += end / 50) {
    EXPECT_THROW(DnaTokenizer::parse(json.substr(0, size), "cut.json"), Error) << size;
  }
}

TEST(DnaTokenizer, RefusesANestedBomb) {
  expect_refused(std::string(100000, '['), "nested deeper");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  expect_refused(deep, "nested deeper");
}

}  // namespace
}  // namespace virnucpro

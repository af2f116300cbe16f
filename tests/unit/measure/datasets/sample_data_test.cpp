#include "measure/datasets/sample_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/json.hpp"
#include "measure/datasets/data_json.hpp"
#include "sequence/input_set.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Samples : testing::Test {
  TempDir directory;
  Cancel cancel;

  SampleData load() const { return load_sample_data(directory.path(), cancel); }
  Error failure() const {
    return thrown([this] { load(); });
  }
};

TEST_F(Samples, AreTheSequenceFilesByName) {
  write_text(directory / "b.txt", ">a\nACGT\n>b\nAC\n");
  write_text(directory / "a.data", "@r\nACGTAC\n+\nIIIIII\n");
  write_text(directory / "notes", "measured on a Tuesday\n");
  write_text(directory / ".hidden", ">h\nACGTACGT\n");
  fs::create_directory(directory / "c.fa");
  const SampleData samples = load();
  ASSERT_EQ(samples.files.size(), 2U);
  EXPECT_EQ(samples.files[0].name, "a.data");
  EXPECT_EQ(samples.files[0].sequences, 1U);
  EXPECT_EQ(samples.files[0].bases, 6U);
  EXPECT_EQ(samples.files[1].name, "b.txt");
  EXPECT_EQ(samples.files[1].bytes, 14U);
  EXPECT_EQ(samples.files[1].sequences, 2U);
  EXPECT_EQ(samples.lengths.count(), 3U);
  EXPECT_EQ(samples.lengths.letters(), 12U);
  EXPECT_EQ(samples.lengths.percentile(50), 4U);
  ASSERT_EQ(samples.passed_over.size(), 1U);
  EXPECT_EQ(samples.passed_over[0].name, "notes");
  EXPECT_FALSE(samples.passed_over[0].why.empty());
  EXPECT_FALSE(samples.source);
  EXPECT_FALSE(samples.expected_baseline_seconds);
}

TEST_F(Samples, HaveTheHashesThatRunsRecord) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  InputSet inputs({.paths = {(directory / "a.fa").string()}}, cancel);
  std::string hash;
  while (const auto event = inputs.next()) {
    if (const auto* end = std::get_if<InputEnd>(&*event)) hash = end->hash;
  }
  EXPECT_EQ(load().files[0].hash, hash);
}

TEST_F(Samples, SayWhereTheyComeFrom) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  write_text(directory / "metadata.json",
             R"({"source": "a lake", "deep": {"source": 1}, "expected_baseline_seconds": 16200})");
  SampleData samples = load();
  EXPECT_EQ(samples.source, "a lake");
  EXPECT_EQ(samples.expected_baseline_seconds, 16200);
  EXPECT_TRUE(samples.passed_over.empty());
  write_text(directory / "provenance.json", R"({"source": "a river", "x": [{"source": []}]})");
  samples = load();
  EXPECT_EQ(samples.source, "a river");
  EXPECT_FALSE(samples.expected_baseline_seconds);
}

TEST_F(Samples, RefuseProvenanceThatIsNone) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  for (const char* text :
       {"", "{", "[]", "7", "{\"source\": 7}", "{\"source\": [\"a\"]}", "{\"source\": {}}",
        "{\"expected_baseline_seconds\": \"16200\"}", "{\"expected_baseline_seconds\": 0}",
        "{\"expected_baseline_seconds\": -1}", "{\"expected_baseline_seconds\": 1e300}",
        "{\"expected_baseline_seconds\": [1]}", "{\"source\": \"a\", \"source\": \"b\"}"}) {
    write_text(directory / "provenance.json", text);
    EXPECT_EQ(failure().kind(), ErrorKind::kJson) << text;
    EXPECT_THAT(failure().place().file, HasSubstr("provenance.json"));
  }
  write_text(directory / "provenance.json", std::string((1U << 20U) + 1, ' '));
  EXPECT_EQ(failure().kind(), ErrorKind::kJson);
  write_text(directory / "provenance.json", R"({"source": null})");
  EXPECT_FALSE(load().source);
}

TEST_F(Samples, SayOneThingOfASourceHoweverItIsWritten) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  write_text(directory / "provenance.json",
             "{\"source\": \"\\u0007" + std::string(100'000, 'x') + "\"}");
  EXPECT_LT(load().source->size(), 5000U);
  EXPECT_THAT(*load().source, testing::StartsWith("\\x07"));
}

TEST_F(Samples, NeedADirectoryWithSequences) {
  EXPECT_EQ(failure().kind(), ErrorKind::kInputMissing);
  write_text(directory / "notes", "no sequences\n");
  EXPECT_EQ(failure().kind(), ErrorKind::kInputMissing);
  EXPECT_EQ(thrown_kind([&] { load_sample_data(directory / "notes", cancel); }),
            ErrorKind::kInputMissing);
  EXPECT_EQ(thrown_kind([&] { load_sample_data(directory / "absent", cancel); }),
            ErrorKind::kInputMissing);
}

TEST_F(Samples, ThatAreDamagedAreAnError) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  write_text(directory / "b.fa", ">a\nACGT\n>b\nAC" + std::string(1, '\0'));
  EXPECT_EQ(failure().kind(), ErrorKind::kInputMalformed);
  EXPECT_THAT(failure().place().file, HasSubstr("b.fa"));
}

TEST_F(Samples, CanBeStopped) {
  write_text(directory / "a.fa", ">a\nACGT\n");
  cancel.request(SIGTERM);
  EXPECT_EQ(failure().kind(), ErrorKind::kTerminated);
}

TEST_F(Samples, AreDescribedAsJson) {
  write_text(directory / "a.fa", ">a\nACGT\n>b\nACGTACGT\n");
  write_text(directory / "notes", "no sequences\n");
  write_text(directory / "provenance.json", R"({"expected_baseline_seconds": 1.5})");
  const JsonValues values(sample_data_json(load()), "samples");
  EXPECT_EQ(values.text("schema"), "virnucpro-samples-1");
  EXPECT_EQ(values.text("source"), std::nullopt);
  EXPECT_EQ(values.number("expected_baseline_seconds"), 1.5);
  EXPECT_EQ(values.count("sequences"), 2U);
  EXPECT_EQ(values.count("bases"), 12U);
  EXPECT_EQ(values.number("lengths/mean"), 6);
  EXPECT_EQ(values.count("lengths/p05"), 4U);
  EXPECT_EQ(values.count("lengths/p95"), 8U);
  EXPECT_EQ(values.text("files/0/name"), "a.fa");
  EXPECT_EQ(values.text("files/0/hash")->size(), 32U);
  EXPECT_EQ(values.text("passed_over/0/name"), "notes");
}

}  // namespace
}  // namespace virnucpro

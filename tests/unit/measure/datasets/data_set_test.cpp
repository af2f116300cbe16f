#include "measure/datasets/data_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string sha256_of(const fs::path& path) {
  Sha256 hash;
  hash.update(as_bytes(read_text(path)));
  return hash.hex();
}

DataSetSettings settings_of(std::uint64_t count, std::uint64_t files = 1) {
  return {.sequences = {.seed = 9,
                        .count = count,
                        .length = UniformLengths{.least = 20, .most = 80},
                        .gc = {2, 5},
                        .coding = {1, 2}},
          .files = files};
}

struct DataSets : testing::Test {
  TempDir directory;
  fs::path file = directory / "x.fa";
  fs::path folder = directory / "reads";
  Cancel cancel;

  fs::file_time_type age(const fs::path& path) const {
    fs::last_write_time(path, fs::file_time_type{});
    return fs::last_write_time(path);
  }
};

// The bytes for each named size (except the largest), and for each kind of lengths.
TEST_F(DataSets, TheBytesArePinned) {
  const auto sha256 = [&](std::uint64_t count, const LengthDistribution& length) {
    const DataSetSettings settings{.sequences = {.count = count, .length = length}};
    return write_data_set(settings, file, cancel).files[0].sha256;
  };
  EXPECT_EQ(sha256(10, FixedLength{500}),
            "4137f333dc0ddb213266da0218e750673087659c21a7c4a995d2d3b362a166a3");
  EXPECT_EQ(sha256(100, FixedLength{500}),
            "e1947b71f849aae40dc0a2e64148eb27b3dfb95f296700ec577ead4c6029c76c");
  EXPECT_EQ(sha256(1'000, UniformLengths{.least = 100, .most = 900}),
            "c73d52caa6b4940b59518831465a9d57e1e3c2b36a0677a71fe4e57123e96b99");
  EXPECT_EQ(sha256(10'000, LogNormalLengths{.median = 400, .sigma = {1, 2}}),
            "6c8e07c27e58ce2b3babf096abb832319eee955bbf31b0bab27457802ab92d95");
}

TEST_F(DataSets, TellWhatTheyHold) {
  const DataSet data = write_data_set(settings_of(101), file, cancel);
  EXPECT_EQ(data.sequences, 101U);
  EXPECT_EQ(data.coding_sequences, 50U);
  ASSERT_EQ(data.files.size(), 1U);
  EXPECT_EQ(data.files[0].name, "x.fa");
  EXPECT_EQ(data.files[0].bases, data.bases);
  EXPECT_EQ(data.files[0].bytes, fs::file_size(file));
  EXPECT_EQ(data.files[0].sha256, sha256_of(file));
  EXPECT_GE(data.lengths.min, 20U);
  EXPECT_LE(data.lengths.max, 80U);
  EXPECT_NEAR(data.lengths.mean, 50, 6);
  EXPECT_NEAR(static_cast<double>(data.lengths.median), 50, 10);
  EXPECT_NEAR(static_cast<double>(data.gc_bases) / static_cast<double>(data.bases), 0.4, 0.03);
  EXPECT_THAT(file_names(directory.path()), ElementsAre("x.fa", "x.fa.json"));
}

TEST_F(DataSets, OfSeveralFilesAreTheOneFileInParts) {
  write_data_set(settings_of(100), file, cancel);
  const DataSet data = write_data_set(settings_of(100, 11), folder, cancel);
  std::string text;
  std::uint64_t bases = 0;
  std::uint64_t count = 0;
  for (const DataFile& part : data.files) {
    text += read_text(folder / part.name);
    EXPECT_EQ(part.sha256, sha256_of(folder / part.name));
    bases += part.bases;
    count += part.sequences;
  }
  EXPECT_EQ(text, read_text(file));
  EXPECT_EQ(bases, data.bases);
  EXPECT_EQ(count, 100U);
  EXPECT_EQ(data.files[0].name, "reads_01.fa");
  EXPECT_EQ(data.files[10].name, "reads_11.fa");
  EXPECT_EQ(file_names(folder).size(), 12U);
}

TEST_F(DataSets, AreCalledAfterTheirFolder) {
  EXPECT_THAT(data_files("a/b/", 2), ElementsAre("a/b/b_1.fa", "a/b/b_2.fa"));
  EXPECT_EQ(data_files("/", 2)[0], "/sequences_1.fa");
  const std::string here = fs::current_path().filename().string();
  EXPECT_EQ(data_files(".", 2)[0].filename(), here + "_1.fa");
  EXPECT_THAT(data_files("a/b.fa", 1), ElementsAre("a/b.fa"));
  EXPECT_EQ(metadata_file("a/b.fa", 1), "a/b.fa.json");
  EXPECT_EQ(metadata_file("a/b", 2), "a/b/metadata.json");
}

TEST_F(DataSets, MetadataIsJsonWithEverySetting) {
  DataSetSettings settings = settings_of(10, 2);
  settings.preset = "tiny";
  settings.sequences.seed = UINT64_MAX;
  const DataSet data = write_data_set(settings, folder, cancel);
  const JsonValues values = JsonValues::read(folder / "metadata.json");
  EXPECT_EQ(values.text("schema"), "virnucpro-data-set-1");
  EXPECT_EQ(values.text("settings/preset"), "tiny");
  EXPECT_EQ(values.whole_number("settings/seed"), UINT64_MAX);
  EXPECT_EQ(values.text("settings/length"), "uniform:20-80");
  EXPECT_EQ(values.number("settings/gc"), 0.4);
  EXPECT_EQ(values.number("settings/coding"), 0.5);
  EXPECT_EQ(values.count("settings/files"), 2U);
  EXPECT_EQ(values.elements("files"), 2U);
  EXPECT_EQ(values.text("files/1/sha256"), data.files[1].sha256);
  EXPECT_EQ(values.count("coding_sequences"), 5U);
}

TEST_F(DataSets, OfNoSequencesAreOneEmptyFile) {
  const DataSet data = write_data_set(settings_of(0), file, cancel);
  EXPECT_EQ(data.files[0].bytes, 0U);
  EXPECT_EQ(fs::file_size(file), 0U);
  EXPECT_TRUE(find_data_set(settings_of(0), file));
}

TEST_F(DataSets, AreTakenAgainWhereTheyAreTheSame) {
  const DataSet first = generate_data_set(settings_of(60, 3), folder, cancel);
  const auto before = age(folder / "reads_2.fa");
  const DataSet again = generate_data_set(settings_of(60, 3), folder, cancel);
  EXPECT_EQ(fs::last_write_time(folder / "reads_2.fa"), before);
  EXPECT_EQ(again.bases, first.bases);
  EXPECT_EQ(again.gc_bases, first.gc_bases);
  EXPECT_EQ(again.coding_sequences, first.coding_sequences);
  EXPECT_EQ(again.lengths.median, first.lengths.median);
  EXPECT_DOUBLE_EQ(again.lengths.mean, first.lengths.mean);
  ASSERT_EQ(again.files.size(), 3U);
  EXPECT_EQ(again.files[2].sha256, first.files[2].sha256);
  EXPECT_EQ(again.files[2].sequences, 20U);
}

TEST_F(DataSets, AreWrittenAnewWhereASettingDiffersOrAFileIsMissing) {
  generate_data_set(settings_of(60), file, cancel);
  std::vector<DataSetSettings> others(5, settings_of(60));
  others[0].sequences.seed = 8;
  others[1].sequences.count = 59;
  others[2].sequences.length = UniformLengths{.least = 20, .most = 81};
  others[3].sequences.gc = {1, 2};
  others[4].sequences.coding = {1, 3};
  for (const DataSetSettings& other : others) {
    EXPECT_FALSE(find_data_set(other, file));
    const DataSet data = generate_data_set(other, file, cancel);
    EXPECT_EQ(data.files[0].sha256, sha256_of(file));
    EXPECT_TRUE(find_data_set(other, file));
  }
  fs::remove(file);
  EXPECT_FALSE(find_data_set(others[4], file));
  generate_data_set(others[4], file, cancel);
  EXPECT_TRUE(find_data_set(others[4], file));
}

TEST_F(DataSets, OfOtherLengthsOfOneFileAreNotTheSame) {
  DataSetSettings settings = settings_of(10);
  settings.sequences.length =
      ObservedLengths{.file = "a.fa", .hash = "01", .steps = {{.length = 5, .up_to = 1}}};
  generate_data_set(settings, file, cancel);
  EXPECT_TRUE(find_data_set(settings, file));
  std::get<ObservedLengths>(settings.sequences.length).hash = "02";
  EXPECT_FALSE(find_data_set(settings, file));
}

TEST_F(DataSets, ReplaceNoFilesOfOthers) {
  write_text(file, "mine");
  EXPECT_EQ(thrown_kind([&] { generate_data_set(settings_of(5), file, cancel); }),
            ErrorKind::kOutputExists);
  EXPECT_EQ(read_text(file), "mine");
  fs::create_directory(folder);
  write_text(folder / "metadata.json", "{\"schema\": \"another\"}");
  EXPECT_EQ(thrown_kind([&] { generate_data_set(settings_of(5, 2), folder, cancel); }),
            ErrorKind::kOutputExists);
  EXPECT_EQ(thrown_kind([&] { require_no_data_set(file, 2); }), ErrorKind::kOutputExists);
  EXPECT_NO_THROW(require_no_data_set(directory / "new", 2));
}

TEST_F(DataSets, AreWrittenWhereAProgramWasKilledThatWroteThem) {
  fs::create_directory(folder);
  write_text(folder / "reads_2.fa.virnucpro-partial", ">seq");
  write_text(folder / "metadata.json.virnucpro-partial", "");
  generate_data_set(settings_of(5, 2), folder, cancel);
  EXPECT_THAT(file_names(folder), ElementsAre("metadata.json", "reads_1.fa", "reads_2.fa"));
}

TEST_F(DataSets, TakeTheFilesOfAnEarlierOneAlongAndNoOthers) {
  write_data_set(settings_of(60, 5), folder, cancel);
  write_text(folder / "notes.txt", "mine");
  generate_data_set(settings_of(60, 3), folder, cancel);
  EXPECT_THAT(file_names(folder),
              ElementsAre("metadata.json", "notes.txt", "reads_1.fa", "reads_2.fa", "reads_3.fa"));
}

TEST_F(DataSets, ReplaceNoFileThatIsNotAsItWasWritten) {
  generate_data_set(settings_of(60), file, cancel);
  generate_data_set(settings_of(60, 3), folder, cancel);
  for (const fs::path& changed : {file, folder / "reads_2.fa"}) write_text(changed, "mine");
  EXPECT_FALSE(find_data_set(settings_of(60), file));
  EXPECT_EQ(thrown_kind([&] { generate_data_set(settings_of(60), file, cancel); }),
            ErrorKind::kOutputExists);
  EXPECT_EQ(thrown_kind([&] { generate_data_set(settings_of(60, 3), folder, cancel); }),
            ErrorKind::kOutputExists);
  EXPECT_EQ(read_text(file) + read_text(folder / "reads_2.fa"), "minemine");
}

TEST_F(DataSets, RemoveNothingOutsideTheirFolderWhateverMetadataSays) {
  fs::create_directory(folder);
  write_text(file, "mine");
  write_text(folder / "metadata.json",
             R"({"schema": "virnucpro-data-set-1", "files": [{"name": "../x.fa"}, {"name": ".."},
                 {"name": ""}, {"name": 7}, {"name": "a"}]})");
  write_data_set(settings_of(10, 2), folder, cancel);
  EXPECT_EQ(read_text(file), "mine");
  EXPECT_TRUE(find_data_set(settings_of(10, 2), folder));
}

TEST_F(DataSets, WithDamagedMetadataAreNotTaken) {
  write_data_set(settings_of(10), file, cancel);
  const std::string whole = read_text(directory / "x.fa.json");
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2),
                                  std::string("[]"), std::string("{\"files\": {}}")}) {
    write_text(directory / "x.fa.json", text);
    EXPECT_FALSE(find_data_set(settings_of(10), file)) << text;
  }
}

TEST_F(DataSets, ThatAreStoppedLeaveNothing) {
  cancel.request(SIGINT);
  EXPECT_EQ(thrown_kind([&] { write_data_set(settings_of(10), file, cancel); }),
            ErrorKind::kInterrupted);
  EXPECT_EQ(thrown_kind([&] { write_data_set(settings_of(10, 2), folder, cancel); }),
            ErrorKind::kInterrupted);
  EXPECT_THAT(file_names(folder), IsEmpty());
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(DataSets, HaveNoMoreFilesThanSequences) {
  for (const std::uint64_t files : {0U, 11U, 257U}) {
    EXPECT_EQ(thrown_kind([&] { write_data_set(settings_of(10, files), folder, cancel); }),
              ErrorKind::kUsage);
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST(DataSizes, AreKnownByName) {
  EXPECT_EQ(parse_data_size("tiny", "--preset").sequences, 10U);
  EXPECT_EQ(parse_data_size("small", "--preset").sequences, 100U);
  EXPECT_EQ(parse_data_size("medium", "--preset").sequences, 1'000U);
  EXPECT_EQ(parse_data_size("large", "--preset").sequences, 10'000U);
  EXPECT_EQ(parse_data_size("production", "--preset").sequences, 6'000'000U);
  EXPECT_EQ(data_sizes().size(), 5U);
}

// v2 has these lengths, and no set of production's size.
TEST(DataSizes, HaveLengths) {
  const auto lengths = [](const char* name) {
    return lengths_text(parse_data_size(name, "--preset").lengths);
  };
  EXPECT_EQ(lengths("tiny"), "uniform:200-500");
  EXPECT_EQ(lengths("small"), "uniform:200-800");
  EXPECT_EQ(lengths("medium"), "uniform:200-1500");
  EXPECT_EQ(lengths("large"), "uniform:100-2000");
  EXPECT_EQ(lengths("production"), "150");
}

TEST(DataSizes, AnUnknownNameIsToldTheKnownOnes) {
  EXPECT_THAT(reason_of(ErrorKind::kUsage, [] { parse_data_size("smal", "--preset"); }),
              testing::AllOf(testing::HasSubstr("--preset smal"), testing::HasSubstr("production"),
                             testing::HasSubstr("did you mean small?")));
}

}  // namespace
}  // namespace virnucpro

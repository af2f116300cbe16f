#include "measure/suites/stored_baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kPublished = R"({"chunk_size": 500, "source": "its authors",
 "models": {"dnabert_s": "zhihan1996/DNABERT-S", "esm2": "esm2_t36_3B_UR50D",
            "classifier": "500_model.pth"}})";
constexpr const char* kSmall = R"({"chunk_size": 300,
 "models": {"dnabert_s": "synthetic:dnabert-s", "esm2": "synthetic:esm2_t6_8M",
            "classifier": "synthetic", "esm2_hash": "abc"}})";

ModelSettings models_of(const std::string& dnabert_s, const std::string& esm2,
                        const std::string& classifier) {
  return {.dnabert_s = dnabert_s, .esm2 = esm2, .classifier = classifier, .lookup = {}};
}

class Baselines : public ::testing::Test {
 protected:
  std::filesystem::path add(const std::string& name, const std::string& provenance) const {
    const std::filesystem::path place = folder_.path() / name;
    std::filesystem::create_directory(place);
    std::ofstream(place / "provenance.json") << provenance;
    return place;
  }

  BaselineChoice choose(const ModelSettings& models, std::uint64_t chunk_size) const {
    return choose_baseline(folder_.path(), models, chunk_size);
  }

  const TemporaryFolder folder_;
};

TEST_F(Baselines, AreChosenByAllNamesOfAPublishedModel) {
  const auto published = add("published", kPublished);
  add("small", kSmall);
  EXPECT_EQ(
      choose(models_of("zhihan1996/DNABERT-S", "esm2_t36_3B_UR50D", "/m/500_model.pth"), 500).place,
      published);
  EXPECT_EQ(
      choose(models_of("/m/DNABERT-S", "/m/esm2_t36_3B_UR50D.pt", "500_model.pth"), 500).place,
      published);
  EXPECT_EQ(
      choose(models_of("DNABERT-S", "facebook/esm2_t36_3B_UR50D", "500_model.pth"), 500).place,
      published);
}

TEST_F(Baselines, AreOfAllThreeModelsAndTheChunkSize) {
  const auto small = add("small", kSmall);
  const ModelSettings models =
      models_of("synthetic:dnabert-s", "synthetic:esm2_t6_8M", "synthetic");
  EXPECT_EQ(choose(models, 300).place, small);
  EXPECT_EQ(choose(models, 500).place, "");
  for (auto member :
       {&ModelSettings::dnabert_s, &ModelSettings::esm2, &ModelSettings::classifier}) {
    ModelSettings other = models;
    other.*member += ":1";
    EXPECT_EQ(choose(other, 300).place, "");
  }
}

TEST_F(Baselines, AreNamedIfNoneFits) {
  add("published", kPublished);
  add("small", kSmall);
  std::ofstream(folder_.path() / "README.md") << "no baseline";
  EXPECT_THAT(choose(models_of("a", "b", "c"), 500).why_none,
              AllOf(HasSubstr("chunks of 500"), HasSubstr("published (zhihan1996/DNABERT-S"),
                    HasSubstr("small (synthetic:dnabert-s, synthetic:esm2_t6_8M, synthetic; "
                              "chunks of 300)")));
}

TEST_F(Baselines, MayBeMissing) {
  const BaselineChoice none =
      choose_baseline(folder_.path() / "absent", models_of("a", "b", "c"), 500);
  EXPECT_EQ(none.place, "");
  EXPECT_THAT(none.why_none, HasSubstr("absent has none"));
}

TEST_F(Baselines, OfOtherWeightsAreNotCompared) {
  const StoredBaseline baseline(add("small", kSmall));
  const auto why = [&baseline](const char* run) {
    return baseline.why_other(JsonValues(run, "telemetry.json"));
  };
  EXPECT_EQ(why(R"({"settings": {"chunk_size": 300},
                    "models": {"description": {"esm2_hash": "abc", "dnabert_s_hash": "d"}}})"),
            "");
  EXPECT_THAT(why(R"({"models": {"description": {"esm2_hash": "abd"}}})"),
              AllOf(HasSubstr("another ESM-2"), HasSubstr("abc"), HasSubstr("abd")));
  EXPECT_THAT(why(R"({"settings": {"chunk_size": 500}})"), HasSubstr("chunks of 300"));
  EXPECT_EQ(why("{}"), "");  // nothing is known
}

TEST_F(Baselines, OfOneTableAreKnownByNothing) {
  const StoredBaseline baseline(folder_.path() / "table.txt");
  EXPECT_EQ(baseline.why_other(JsonValues()), "");
  ASSERT_EQ(baseline.fields().size(), 1U);
  EXPECT_THAT(std::get<std::string>(baseline.fields()[0].value), HasSubstr("no provenance.json"));
}

std::string field_of(const StoredBaseline& baseline, std::string_view key) {
  for (const Field& field : baseline.fields()) {
    if (field.key == key) return std::get<std::string>(field.value);
  }
  return "there is no such field";
}

TEST_F(Baselines, SayWhichDateAndHashesAreKnown) {
  const StoredBaseline small(add("small", kSmall));
  EXPECT_EQ(field_of(small, "baseline_weights_hash"), "ESM-2 abc");
  EXPECT_EQ(field_of(small, "baseline_date"), "not recorded");
  const StoredBaseline unknown(add(
      "unknown", R"({"date": "2026-11-24", "models": {"esm2": "esm2_3B", "esm2_hash": null}})"));
  EXPECT_EQ(field_of(unknown, "baseline_weights_hash"), "not recorded");
  EXPECT_EQ(field_of(unknown, "baseline_date"), "2026-11-24");
}

TEST_F(Baselines, MayHaveSequencesOfTheirOwn) {
  const auto place = add("small", kSmall);
  EXPECT_EQ(baseline_sequences(place), "");
  std::ofstream(place / "sequences.fa") << ">a\nACGT\n";
  EXPECT_EQ(baseline_sequences(place), place / "sequences.fa");
}

TEST_F(Baselines, WithDamagedProvenanceAreErrors) {
  add("damaged", "{\"chunk_size\": 5");
  EXPECT_EQ(thrown_kind([&] { choose(models_of("a", "b", "c"), 500); }), ErrorKind::kJson);
}

}  // namespace
}  // namespace virnucpro

#include "run/calibration.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using Description = std::map<std::string, std::string>;

Description description() {
  return {{"esm2", "somewhere"},     {"esm2_hash", "e"},        {"dnabert_s_hash", "d"},
          {"classifier_hash", "c"},  {"precision", "int8"},     {"check_precision", "fp16"},
          {"kernel_path", "cuda-x"}, {"numerics_version", "9"}, {"int8_keep", "none"}};
}

struct Calibrations : testing::Test {
  std::filesystem::path file(const std::string& text) {
    const std::filesystem::path path = directory / "calibration.json";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Calibration written() {
    return {.made_for = calibrated_part(description()), .int8_keep = "3.fc2,out", .margin = 0.125};
  }

  TempDir directory;
};

TEST_F(Calibrations, AreReadAsTheyWereWritten) {
  Calibration calibration = written();
  const auto path = file(calibration_json(calibration, {{"more", {{"hash", "none"}}}}));
  const Calibration read = read_calibration(path);
  EXPECT_EQ(read.made_for, calibration.made_for);
  EXPECT_EQ(read.int8_keep, "3.fc2,out");
  EXPECT_EQ(read.margin, 0.125);
  EXPECT_EQ(read.hash, calibration.hash);
  EXPECT_EQ(read.file, path);
  EXPECT_FALSE(read.hash.empty());
}

TEST_F(Calibrations, ThatDifferAnywhereAreRefused) {
  Calibration calibration = written();
  const std::string text = calibration_json(calibration, {{"more", 1}});
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(thrown_kind([&] { read_calibration(file(changed)); }), ErrorKind::kCalibration) << i;
    EXPECT_EQ(thrown_kind([&] { read_calibration(file(text.substr(0, i))); }),
              ErrorKind::kCalibration)
        << i;
  }
}

TEST_F(Calibrations, WithoutAMeaningAreRefused) {
  for (const auto& [keep, margin] : {std::pair{"fc3", 0.1}, std::pair{"", 0.1},
                                     std::pair{"none", -1.0}, std::pair{"none", 101.0}}) {
    Calibration calibration = written();
    calibration.int8_keep = keep;
    calibration.margin = margin;
    const std::string text = calibration_json(calibration, Json::object());
    EXPECT_EQ(thrown_kind([&] { read_calibration(file(text)); }), ErrorKind::kCalibration) << keep;
  }
  EXPECT_EQ(thrown_kind([&] { read_calibration(directory / "none"); }), ErrorKind::kCalibration);
}

TEST_F(Calibrations, OfAMarginThatNoErrorHasAreRefused) {
  for (const auto& [precision, least] :
       {std::pair{"fp16", 0x1p-11}, std::pair{"int8", 0x1p-11}, std::pair{"bf16", 0x1p-8},
        std::pair{"int8-simulated", 0x1p-23}}) {
    EXPECT_EQ(least_margin(precision), least);
    for (const double margin : {0.0, 1e-300, std::nextafter(least, 0.0), least, 100.0}) {
      Calibration calibration = written();
      calibration.made_for["precision"] = precision;
      calibration.margin = margin;
      // Its hash is right, as a forger would have it.
      const Calibration read =
          read_calibration(file(calibration_json(calibration, Json::object())));
      EXPECT_EQ(read.margin, margin);
      if (margin >= least) {
        EXPECT_NO_THROW(require_possible_margin(read)) << precision << ' ' << margin;
        continue;
      }
      const Error error = thrown([&] { require_possible_margin(read); });
      EXPECT_EQ(error.kind(), ErrorKind::kCalibration) << precision << ' ' << margin;
      EXPECT_EQ(error.place().file, read.file.string());
      EXPECT_THAT(error.detail(), testing::HasSubstr(precision));
      EXPECT_THAT(std::string(error.remedy()), testing::HasSubstr("--margin"));
    }
  }
}

TEST_F(Calibrations, SayWhereTheyAre) {
  EXPECT_EQ(Calibration{}.place(), "made for this run, not kept");
  EXPECT_EQ(Calibration{.file = "x.json"}.place(), std::filesystem::absolute("x.json").string());
}

TEST_F(Calibrations, AreForOneSetOfModels) {
  const Calibration calibration = written();
  EXPECT_NO_THROW(require_calibrated_for(calibration, description()));
  Description without = description();
  without.erase("check_precision");  // nothing is computed again
  EXPECT_NO_THROW(require_calibrated_for(calibration, without));
  for (const auto& [key, name] : Description{{"esm2_hash", "another ESM-2 (was e, is x)"},
                                             {"dnabert_s_hash", "another DNABERT-S (was d, is x)"},
                                             {"classifier_hash", "another classifier"},
                                             {"precision", "another precision"},
                                             {"check_precision", "another check precision"},
                                             {"kernel_path", "another kernel path"},
                                             {"numerics_version", "another numerics version"}}) {
    Description other = description();
    other[key] = "x";
    EXPECT_THAT(
        reason_of(ErrorKind::kCalibration, [&] { require_calibrated_for(calibration, other); }),
        testing::HasSubstr(name))
        << key;
  }
}

}  // namespace
}  // namespace virnucpro

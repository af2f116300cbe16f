#include "measure/datasets/length_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

std::vector<std::uint64_t> draws(const LengthDistribution& lengths, std::uint64_t count,
                                 std::uint64_t seed = 1) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(draw_length(lengths, seed, i));
  return all;
}

double share_between(const std::vector<std::uint64_t>& all, double least, double most) {
  const auto inside = std::count_if(all.begin(), all.end(), [=](std::uint64_t length) {
    return static_cast<double>(length) >= least && static_cast<double>(length) <= most;
  });
  return static_cast<double>(inside) / static_cast<double>(all.size());
}

LengthDistribution parsed(std::string_view text) {
  return parse_lengths(text, "--length", Cancel{});
}

TEST(LengthDistribution, AFixedLengthIsThat) {
  for (const std::uint64_t length : draws(FixedLength{77}, 20)) EXPECT_EQ(length, 77U);
}

TEST(LengthDistribution, UniformLengthsReachBothBoundsEvenly) {
  const auto all = draws(UniformLengths{.least = 10, .most = 14}, 50'000);
  for (std::uint64_t length = 10; length <= 14; ++length) {
    const auto x = static_cast<double>(length);
    EXPECT_NEAR(share_between(all, x, x), 0.2, 0.01) << length;
  }
  EXPECT_EQ(draws(UniformLengths{.least = 3, .most = 3}, 2), (std::vector<std::uint64_t>{3, 3}));
}

// The shares of a normal distribution within one, two and three standard deviations.
TEST(LengthDistribution, LogarithmsAreNormal) {
  for (const double sigma : {0.25, 1.0}) {
    const auto millionths = static_cast<std::uint32_t>(sigma * 1e6);
    const auto all =
        draws(LogNormalLengths{.median = 1'000'000, .sigma = {millionths, 1'000'000}}, 100'000);
    for (const auto& [deviations, share] :
         {std::pair(1.0, 0.68269), std::pair(2.0, 0.95450), std::pair(3.0, 0.99730)}) {
      const double factor = std::exp(sigma * deviations);
      EXPECT_NEAR(share_between(all, 1e6 / factor, 1e6 * factor), share, 0.005) << deviations;
    }
    EXPECT_NEAR(share_between(all, 0, 1e6), 0.5, 0.005);
    double sum = 0;
    for (const std::uint64_t length : all) sum += static_cast<double>(length);
    EXPECT_NEAR(sum / 1e5 / (1e6 * std::exp(sigma * sigma / 2)), 1, 0.02);
  }
}

TEST(LengthDistribution, LogNormalLengthsStayWithinTheirBoundsAndKeepTheirMedian) {
  LogNormalLengths lengths{.median = 500, .sigma = {5, 1}, .least = 400, .most = 900};
  const auto all = draws(lengths, 10'000);
  EXPECT_EQ(share_between(all, 400, 900), 1);
  EXPECT_GT(share_between(all, 400, 400), 0.4);
  EXPECT_NEAR(share_between(all, 400, 500), 0.5, 0.02);
  lengths = {.median = kMaxLetters, .sigma = {5, 1}};
  EXPECT_EQ(share_between(draws(lengths, 1000), 1, kMaxLetters), 1);
}

TEST(LengthDistribution, WithoutDeviationTheMedianIsExact) {
  for (const std::uint64_t median : {1U, 499U, 1'000'003U, 2'147'483'647U}) {
    // An odd sum never draws exactly 0; with sigma 0 the factor is still 2^0.
    EXPECT_EQ(draws(LogNormalLengths{.median = median, .sigma = {0, 1}}, 3),
              std::vector<std::uint64_t>(3, median));
  }
}

TEST(LengthDistribution, DrawsArePinned) {
  std::string text;
  for (const LengthDistribution& lengths :
       {LengthDistribution(UniformLengths{.least = 1, .most = 1'000'000}),
        LengthDistribution(LogNormalLengths{.median = 400, .sigma = {5, 10}}),
        LengthDistribution(LogNormalLengths{.median = 3'000'000, .sigma = {31, 10}}),
        LengthDistribution(ObservedLengths{.steps = {{5, 2}, {9, 3}, {4000, 10}}})}) {
    for (const std::uint64_t length : draws(lengths, 1000, 42)) {
      text += std::to_string(length) + "\n";
    }
  }
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text)));
  EXPECT_EQ(hash.hex(), "f14c8c0d31c28ee5ee5cb14bb6ed5d0bd2edcf86414ee3206949f73bf93f054d");
}

TEST(LengthDistribution, ADrawDependsOnSeedAndPlaceOnly) {
  const UniformLengths lengths{.least = 0, .most = 1'000'000};
  EXPECT_EQ(draws(lengths, 9)[5], draw_length(lengths, 1, 5));
  EXPECT_NE(draws(lengths, 9), draws(lengths, 9, 2));
}

TEST(LengthDistribution, OfAFileIsAsItsSequencesAre) {
  const TempDir directory;
  const std::string path = (directory / "in.fq").string();
  write_text(path, "@a\nACGT\n+\nIIII\n@b\nAC\n+\nII\n@c\nGGTT\n+\nIIII\n@d\nACCA\n+\nIIII\n");
  const LengthDistribution lengths = parsed("from:" + path);
  EXPECT_EQ(lengths_text(lengths), "from:" + path);
  EXPECT_EQ(std::get<ObservedLengths>(lengths).hash.size(), 32U);
  const auto all = draws(lengths, 20'000);
  EXPECT_NEAR(share_between(all, 2, 2), 0.25, 0.01);
  EXPECT_NEAR(share_between(all, 4, 4), 0.75, 0.01);
}

TEST(LengthDistribution, OfAFileNeedsASequence) {
  const TempDir directory;
  const auto kind_of = [&](const std::string& text) {
    write_text(directory / "in.fa", text);
    return thrown_kind([&] { parsed("from:" + (directory / "in.fa").string()); });
  };
  EXPECT_EQ(kind_of(""), ErrorKind::kUsage);
  EXPECT_EQ(kind_of("no sequences"), ErrorKind::kInputFormat);
  EXPECT_EQ(kind_of(">a\nAC\n>b\n" + std::string(1, '\0')), ErrorKind::kInputMalformed);
  EXPECT_EQ(thrown_kind([&] { parsed("from:" + (directory / "absent.fa").string()); }),
            ErrorKind::kInputMissing);
}

TEST(LengthDistribution, ReadingAFileCanBeStopped) {
  const TempDir directory;
  write_text(directory / "in.fa", ">a\nACGT\n");
  Cancel cancel;
  cancel.request(SIGINT);
  EXPECT_EQ(thrown_kind([&] {
              parse_lengths("from:" + (directory / "in.fa").string(), "--length", cancel);
            }),
            ErrorKind::kInterrupted);
}

TEST(LengthDistribution, IsWrittenAsItIsRead) {
  for (const char* text :
       {"0", "500", "2147483647", "uniform:0-0", "uniform:100-900", "lognormal:400,0.5",
        "lognormal:1,0", "lognormal:400,5,400-400", "lognormal:400,0.000001,0-2147483647"}) {
    EXPECT_EQ(lengths_text(parsed(text)), text);
  }
}

TEST(LengthDistribution, RefusesWhatIsNone) {
  const auto refuse = [](std::initializer_list<const char*> texts) {
    for (const char* text : texts) {
      EXPECT_EQ(thrown_kind([text] { parsed(text); }), ErrorKind::kUsage) << text;
    }
  };
  refuse({"", "x", "-1", "2147483648", " 5", "fixed:5", "from:", "Uniform:1-2"});
  refuse({"uniform", "uniform:", "uniform:5", "uniform:9-5", "uniform:1-2147483648",
          "uniform:1-2-3", "uniform:-1-3"});
  refuse({"lognormal:", "lognormal:400", "lognormal:400,", "lognormal:0,0.5",
          "lognormal:400,5.000001", "lognormal:400,-1", "lognormal:400,0.5,",
          "lognormal:400,0.5,500-600", "lognormal:400,0.5,100", "lognormal:400,0.5,1-9,2",
          "lognormal:400,0.5,900-100"});
}

}  // namespace
}  // namespace virnucpro

#include "ops/int8_policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace virnucpro {
namespace {

Int8Policy policy_of(std::string_view text) {
  return Int8Policy::parse(text).value();
}

TEST(Int8Policy, KeepsNothingUnlessTold) {
  for (const Int8Policy& policy : {Int8Policy(), policy_of("none")}) {
    EXPECT_EQ(policy.text(), "none");
    EXPECT_TRUE(policy.in_8_bits(0, Esm2Linear::kQkv));
    EXPECT_TRUE(policy.in_8_bits(35, Esm2Linear::kFc2));
    EXPECT_FALSE(policy.last_layer());
  }
}

TEST(Int8Policy, KeepsSinglePlaces) {
  const std::vector<Esm2Place> places{{.layer = 4, .linear = Esm2Linear::kFc2},
                                      {.layer = 0, .linear = Esm2Linear::kQkv},
                                      {.layer = 3, .linear = Esm2Linear::kFc2}};
  EXPECT_EQ(Int8Policy::keeping(places), policy_of("0.qkv,3-4.fc2"));
  EXPECT_EQ(Int8Policy::keeping({}), Int8Policy());
}

TEST(Int8Policy, KeepsALinearOfEveryLayer) {
  const Int8Policy policy = policy_of("fc2");
  for (const std::size_t layer : {0U, 1U, 35U, 999U}) {
    EXPECT_FALSE(policy.in_8_bits(layer, Esm2Linear::kFc2));
    EXPECT_TRUE(policy.in_8_bits(layer, Esm2Linear::kFc1));
  }
  EXPECT_FALSE(policy.last_layer()) << "any model has every layer";
}

TEST(Int8Policy, KeepsALinearOfSomeLayers) {
  const Int8Policy policy = policy_of("0.qkv,3-5.out,35.fc1");
  EXPECT_FALSE(policy.in_8_bits(0, Esm2Linear::kQkv));
  EXPECT_TRUE(policy.in_8_bits(1, Esm2Linear::kQkv));
  EXPECT_TRUE(policy.in_8_bits(2, Esm2Linear::kOut));
  for (const std::size_t layer : {3U, 4U, 5U}) {
    EXPECT_FALSE(policy.in_8_bits(layer, Esm2Linear::kOut));
    EXPECT_TRUE(policy.in_8_bits(layer, Esm2Linear::kQkv));
  }
  EXPECT_TRUE(policy.in_8_bits(6, Esm2Linear::kOut));
  EXPECT_FALSE(policy.in_8_bits(35, Esm2Linear::kFc1));
  EXPECT_EQ(policy.last_layer(), 35U);
}

// Runs with the same linears in 16 bits are the same run, however the user wrote them.
TEST(Int8Policy, HasOneTextForTheSameLinears) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"fc2,qkv", "qkv,fc2"},
      {"fc2,fc2", "fc2"},
      {"3.fc1,fc1", "fc1"},
      {"3.out,2.out,1.out", "1-3.out"},
      {"0-4.out,2-3.out", "0-4.out"},
      {"0-2.out,2-7.out,9.out", "0-7.out,9.out"},
      {"5-5.fc1", "5.fc1"},
      {"00.fc1,0.fc1", "0.fc1"},
      {"8.fc2,1.qkv,8.qkv", "1.qkv,8.qkv,8.fc2"},
  };
  for (const auto& [given, text] : cases) {
    EXPECT_EQ(policy_of(given).text(), text) << given;
    EXPECT_EQ(policy_of(given), policy_of(text)) << given;
    EXPECT_EQ(policy_of(text).text(), text);
  }
}

TEST(Int8Policy, HasOneTextForAllLayersOfAModel) {
  for (const auto& [given, text] :
       std::vector<std::pair<std::string, std::string>>{{"0-35.fc2", "fc2"},
                                                        {"0-9.fc1,10-35.fc1,0.out", "0.out,fc1"},
                                                        {"1-35.fc2", "1-35.fc2"},
                                                        {"0-34.fc2", "0-34.fc2"},
                                                        {"qkv,35.out", "qkv,35.out"},
                                                        {"none", "none"}}) {
    const Int8Policy policy = policy_of(given).of_model(36);
    EXPECT_EQ(policy.text(), text);
    EXPECT_EQ(policy, policy_of(text));
  }
}

TEST(Int8Policy, RefusesOtherText) {
  const auto refuse = [](std::initializer_list<const char*> texts) {
    for (const char* text : texts) EXPECT_FALSE(Int8Policy::parse(text)) << text;
  };
  refuse({"", ",", "fc2,", ",fc2", "fc3", "FC2", " fc2", "fc2 ", ".fc2", "*.fc2", "fc1;fc2", "all",
          "none,fc2", "0.none"});
  refuse({"1.", "1", "1-.fc2", "-1.fc2", "5-3.fc2", "1-2-3.fc2", "1..fc2", "0x1.fc2", "+1.fc2",
          "1.fc2.", "1000.fc2", "0-1000.fc2", "99999999999999999999.fc2",
          "18446744073709551615.fc2"});
}

// The longest text fits in a message to a worker, which holds 16 KiB.
TEST(Int8Policy, HasABoundedText) {
  std::string given;
  for (const char* const linear : {"qkv", "out", "fc1", "fc2"}) {
    for (int layer = 1; layer < 1000; layer += 2) {
      given += std::to_string(layer) + "." + linear + ",";
    }
  }
  given.pop_back();
  EXPECT_EQ(policy_of(given).text(), given);
  EXPECT_LT(given.size(), 16U << 10U);
}

TEST(Int8Policy, NamesLinears) {
  EXPECT_EQ(name_of(Esm2Linear::kQkv), "qkv");
  EXPECT_EQ(name_of(Esm2Linear::kFc2), "fc2");
}

}  // namespace
}  // namespace virnucpro

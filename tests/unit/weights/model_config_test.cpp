#include "weights/model_config.hpp"

#include <gtest/gtest.h>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kText = R"({"attention_heads": "2", "eps": 1, "bias": false, "act": 3})";

TEST(ModelConfig, SettingsAreOfTheirTypes) {
  const Settings settings = parse_model_config(kText, "config.json");
  EXPECT_EQ(real_setting(settings, "config.json", {"eps"}), 1.0);
  EXPECT_EQ(whole_setting(settings, "config.json", {"layers", "eps"}), 1);
  EXPECT_EQ(flag_setting(settings, "config.json", {"bias"}), false);
  EXPECT_EQ(whole_setting(settings, "config.json", {"layers"}), std::nullopt);
  EXPECT_EQ(name_in(settings, {"layers", "eps"}), "eps");
  EXPECT_EQ(name_in(settings, {"layers"}), "");
}

TEST(ModelConfig, ASettingOfAnotherTypeHasTheNameInTheFile) {
  const Settings settings = parse_model_config(kText, "config.json");
  const auto detail_of = [&](const auto& read) { return thrown([&] { read(); }).detail(); };
  EXPECT_EQ(detail_of([&] {
              whole_setting(settings, "f", {"num_heads", "attention_heads"});
            }),
            "the setting attention_heads must be a whole number");
  EXPECT_EQ(detail_of([&] { real_setting(settings, "f", {"bias"}); }),
            "the setting bias must be a number");
  EXPECT_EQ(detail_of([&] { flag_setting(settings, "f", {"eps"}); }),
            "the setting eps must be true or false");
  EXPECT_EQ(detail_of([&] { expect_setting(settings, "f", "act", "gelu"); }),
            "the setting act must be text");
}

}  // namespace
}  // namespace virnucpro

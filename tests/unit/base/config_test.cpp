#include "base/config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Config parse(const std::string& text) {
  return Config::parse(text, "run.yaml");
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    return error.what();
  }
  return "accepted";
}

TEST(Config, GivesWhatIsSet) {
  const Config config = parse(
      "prediction:\n  default_model_type: 300\n  models:\n    300: own.pth\n"
      "files: {auto_cleanup: no}\nrun:\n  threads: 3\n  threshold: 0.25\n");
  EXPECT_EQ(config.text("prediction.default_model_type"), "300");
  EXPECT_EQ(config.text("prediction.models.300"), "own.pth");
  EXPECT_EQ(config.flag("files.auto_cleanup"), false);
  EXPECT_EQ(config.count("run.threads"), 3U);
  EXPECT_EQ(config.number("run.threshold"), 0.25);
  EXPECT_EQ(config.text("device.default"), std::nullopt);
  EXPECT_THAT(config.warnings(), IsEmpty());
  EXPECT_THAT(config.notes(), IsEmpty());
}

TEST(Config, NullAndAutoSetNothing) {
  const Config config = parse("run:\n  threads: null\n  token_budget: auto\n  models_dir: ~\n");
  EXPECT_EQ(config.count("run.threads"), std::nullopt);
  EXPECT_EQ(config.count("run.token_budget"), std::nullopt);
  EXPECT_EQ(config.text("run.models_dir"), std::nullopt);
}

TEST(Config, EmptyFilesSetNothing) {
  for (const char* text : {"", "---\n", "# nothing\n", "{}\n"}) {
    EXPECT_THAT(parse(text).warnings(), IsEmpty()) << text;
  }
}

TEST(Config, NamesTheNearestKeyForAnUnknownOne) {
  const Config config = parse("run:\n  treads: 3\nzzz:\n  - a\n");
  EXPECT_THAT(config.warnings(),
              testing::UnorderedElementsAre(
                  "run.yaml: line 2: unknown key run.treads; did you mean run.threads?",
                  "run.yaml: line 4: unknown key zzz"));
}

TEST(Config, UnknownKeysMayHoldAnything) {
  const Config config = parse("own:\n  - {a: 1}\n  - {a: 2}\n  - [x, [y]]\n");
  EXPECT_FALSE(config.warnings().empty());
}

TEST(Config, BoundsItsWarnings) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  EXPECT_LT(parse(text).warnings().size(), 30U);
}

TEST(Config, SaysWhichKeysHaveNoEffect) {
  const Config config = parse("checkpointing:\n  keep_history: true\n");
  EXPECT_THAT(config.notes(),
              ElementsAre(HasSubstr("line 2: checkpointing.keep_history has no effect here")));
}

TEST(Config, WarnsOfAKeyWithoutEffectThatUsersTuned) {
  const Config config = parse("features: {esm: {toks_per_batch: auto}}\n");
  EXPECT_THAT(config.warnings(),
              ElementsAre(HasSubstr("line 1: features.esm.toks_per_batch has no effect here")));
  EXPECT_THAT(config.notes(), IsEmpty());
  EXPECT_THAT(parse("features: {esm: {toks_per_batch: null}}\n").warnings(), IsEmpty());
}

TEST(Config, TakesAnyValueForAKeyWithoutEffect) {
  for (const std::string value : {"5", "auto", "[a, {b: [c]}]", "{a: 1, b: {c: 2}}", "[]", "{}"}) {
    for (const char* key : {"keep_history", "checkpoint_dir"}) {
      const Config config = parse("checkpointing: {" + std::string(key) + ": " + value + "}");
      EXPECT_THAT(config.warnings(), IsEmpty()) << value;
    }
  }
  EXPECT_THAT(parse("checkpointing: {keep_history: {a: 1, b: [c, {d: e}]}}").notes(),
              ElementsAre(HasSubstr("checkpointing.keep_history has no effect here")));
}

TEST(Config, TakesAnyValueForASectionOfKeysWithoutEffect) {
  for (const std::string value : {"5", "off", "[1]", "[a, [b]]", "[]"}) {
    const Config config = parse("parallelization: " + value);
    EXPECT_THAT(config.notes(),
                ElementsAre(HasSubstr("line 1: parallelization has no effect here")))
        << value;
    EXPECT_THAT(config.warnings(), IsEmpty()) << value;
    for (const char* section : {"run", "checkpointing", "features", "logging"}) {
      EXPECT_THAT(refusal(fmt::format("{}: {}", section, value)),
                  HasSubstr("expected keys under it"));
    }
    EXPECT_THAT(refusal("run: {requirements: " + value + "}"), HasSubstr("expected keys under it"));
  }
  EXPECT_THAT(parse("parallelization: {enabled: 5, enabled: 6}").notes(),
              ElementsAre(HasSubstr("parallelization.enabled has no effect here")));
  EXPECT_THAT(parse("parallelization: {typo: 1}").warnings(),
              ElementsAre(HasSubstr("unknown key")));
}

TEST(Config, AKeyWithoutEffectMayRepeat) {
  for (const char* text : {"files: {keep_files: [a]}\nfiles: {keep_files: [b]}",
                           "checkpointing: {keep_history: 1, keep_history: {a: 1, a: 2}}",
                           "prediction: {batch_size: 1, batch_size: 2}"}) {
    EXPECT_EQ(parse(text).notes().size(), 1U) << text;
  }
}

TEST(Config, RefusesWrongTypesNamingLineAndKey) {
  EXPECT_THAT(
      refusal("run:\n  prefetch: many\n"),
      HasSubstr("run.yaml: the configuration cannot be used: line 2: run.prefetch: expected "
                "a whole number, 0 or more, found \"many\""));
  EXPECT_THAT(refusal("run: {prefetch: -1}"), HasSubstr("run.prefetch"));
  EXPECT_THAT(refusal("run: {prefetch: 0x10}"), HasSubstr("run.prefetch"));
  EXPECT_THAT(refusal("run: {prefetch: [1]}"), HasSubstr("run.prefetch"));
  EXPECT_THAT(refusal("run: {prefetch: {a: 1}}"), HasSubstr("run.prefetch"));
  EXPECT_THAT(refusal("run: {threshold: .nan}"), HasSubstr("run.threshold"));
  EXPECT_THAT(refusal("progress: {enabled: maybe}"), HasSubstr("progress.enabled"));
  EXPECT_THAT(refusal("prediction: 5\n"), HasSubstr("prediction: expected keys under it"));
}

TEST(Config, RefusesAWrongWordForEveryKeyThatIsNoText) {
  for (const ConfigKey& key : config_keys()) {
    if (key.type == ConfigType::kText || !key.used) continue;
    std::string nested;
    std::size_t depth = 0;
    for (std::size_t begin = 0; begin <= key.name.size(); ++depth) {
      const std::size_t end = std::min(key.name.find('.', begin), key.name.size());
      nested += std::string(2 * depth, ' ') + std::string(key.name.substr(begin, end - begin));
      nested += end == key.name.size() ? ": spoon\n" : ":\n";
      begin = end + 1;
    }
    EXPECT_THAT(refusal(nested), HasSubstr("line " + std::to_string(depth) + ": " +
                                           std::string(key.name) + ": expected "));
  }
}

TEST(Config, RefusesWhatIsNotAFlatSetOfKeys) {
  EXPECT_THAT(refusal("- a\n- b\n"), HasSubstr("expected KEY: VALUE, found a list"));
  EXPECT_THAT(refusal("text"), HasSubstr("expected KEY: VALUE, found text"));
  EXPECT_THAT(refusal("run: {threads: 1, threads: 2}"), HasSubstr("set twice"));
  EXPECT_THAT(refusal("run: {threads: 1}\nrun: {threads: 1}"), HasSubstr("set twice"));
  EXPECT_THAT(refusal("? [a]\n: b\n"), HasSubstr("plain text"));
  EXPECT_THAT(refusal("a: 1\n---\nb: 2\n"), HasSubstr("second document"));
  EXPECT_THAT(refusal("run: [1"), HasSubstr("line"));
}

TEST(Config, RefusesBombs) {
  EXPECT_THAT(refusal("a: &x [1]\nb: [*x, *x]\n"), HasSubstr("line 2: aliases"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("line 1"));
  EXPECT_THAT(refusal("a: " + std::string(100000, '{')), HasSubstr("line 1"));
  std::string deep;
  for (int level = 0; level < 1000; ++level) {
    deep += std::string(static_cast<std::size_t>(level), ' ') + "a:\n";
  }
  EXPECT_THAT(refusal(deep), HasSubstr("line 9: nested deeper than 8 levels"));
}

TEST(Config, FailsWithoutTheFile) {
  EXPECT_THROW(Config::read("no/such/file.yaml"), Error);
}

TEST(Config, DefaultsAreAllKnownAndSetOnce) {
  const Config config = parse(default_config());
  EXPECT_THAT(config.warnings(), IsEmpty());
  EXPECT_THAT(config.notes(), IsEmpty());
  EXPECT_EQ(config.text("prediction.models.500"), "500_model.pth");
  std::set<std::string_view> names;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.comment.empty()) << key.name;
  }
}

TEST(Config, KeysWithoutEffectAreListedLast) {
  const std::string text = default_config();
  const std::size_t list = text.find("# Keys of v2 without effect");
  ASSERT_NE(list, std::string::npos);
  EXPECT_LT(text.find("shortest_run: 30\n"), list);  // the last one with an effect
  for (const ConfigKey& key : config_keys()) {
    const std::string line = "#   " + std::string(key.name) + ": ";
    EXPECT_EQ(text.find(line, list) != std::string::npos, !key.used) << key.name;
  }
}

}  // namespace
}  // namespace virnucpro

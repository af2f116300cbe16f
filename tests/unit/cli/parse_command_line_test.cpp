#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with one command.
struct Example {
  Command program{"program", ""};
  bool verbose = false;
  bool force = false;
  std::string output;
  std::string baseline;
  bool own_baseline = false;
  std::vector<std::string> inputs;

  Example() {
    program.add_option("-v,--verbose", &verbose, "");
    Command& command = program.add_command("copy", "");
    command.add_argument("INPUT", &inputs, "");
    command.add_flag("-f,--force", force, "");
    command.add_value("-o,--output-dir,--output", output, "", "FILE").excludes = "--force";
    command.add_value("--baseline", baseline, "", "FILE").alone = &own_baseline;
  }

  std::optional<Ask> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return parse_command_line(program, words);
  }

  std::string mistake(const std::vector<const char*>& words) {
    return reason_of(ErrorKind::kUsage, [&] { parse(words); });
  }
};

TEST(ParseCommandLine, FillsInWhatRowsPointAt) {
  Example example;
  EXPECT_EQ(example.parse({"copy", "a", "-vo", "x", "b", "-v", "--output=y"}), std::nullopt);
  EXPECT_EQ(chosen_command(example.program).path, "program copy");
  EXPECT_THAT(example.inputs, ElementsAre("a", "b"));
  EXPECT_EQ(example.output, "y") << "the last one";
  EXPECT_TRUE(example.verbose);
  EXPECT_EQ(example.program.chosen->find_option("-o")->times, 2U);
  EXPECT_EQ(example.program.chosen->find_option("--force")->times, 0U);
}

TEST(ParseCommandLine, TakesAnOptionAloneForItsOwnValue) {
  const auto baseline_of = [](std::vector<const char*> words) {
    Example example;
    words.insert(words.begin(), {"copy", "a"});
    example.parse(words);
    return example.own_baseline ? "[alone]" + example.baseline : example.baseline;
  };
  EXPECT_EQ(baseline_of({}), "");
  EXPECT_EQ(baseline_of({"--baseline"}), "[alone]");
  EXPECT_EQ(baseline_of({"--baseline", "--force"}), "[alone]");
  EXPECT_EQ(baseline_of({"--baseline", "x", "--force"}), "x");
  EXPECT_EQ(baseline_of({"--baseline=x"}), "x");
  EXPECT_EQ(baseline_of({"--baseline", "--baseline=x"}), "x");
  EXPECT_EQ(baseline_of({"--baseline", "x", "--baseline"}), "[alone]") << "the last one";
  for (const std::vector<const char*>& empty : {std::vector<const char*>{"--baseline", ""},
                                                {"--baseline="},
                                                {"--baseline=", "--force"},
                                                {"--baseline=", "--baseline"}}) {
    std::vector<const char*> words{"copy", "a"};
    words.insert(words.end(), empty.begin(), empty.end());
    EXPECT_THAT(Example().mistake(words), HasSubstr("--baseline: the value is empty"));
  }
}

TEST(ParseCommandLine, TellsWhoseHelpIsAskedFor) {
  Example example;
  EXPECT_EQ(example.parse({"copy", "--help"}), Ask::kHelp);
  EXPECT_EQ(chosen_command(example.program).name(), "copy");
}

TEST(ParseCommandLine, ExplainsMistakes) {
  EXPECT_THAT(Example().mistake({"copy", "a", "--ouput", "x"}), HasSubstr("--output?"));
  EXPECT_THAT(Example().mistake({"cpoy"}), HasSubstr("did you mean copy?"));
  EXPECT_THAT(Example().mistake({"copy", "a", "-o"}), HasSubstr("--output needs a value"));
  EXPECT_THAT(Example().mistake({"copy", "a", "-o", ""}), HasSubstr("the value is empty"));
  EXPECT_THAT(Example().mistake({"copy", "a", "-o", "x", "-f"}), HasSubstr("excludes"));
  EXPECT_THAT(Example().mistake({"copy"}), HasSubstr("INPUT is required"));
}

TEST(ParseCommandLine, KnowsTheCommandOfAMistake) {
  Example example;
  EXPECT_NE(example.mistake({"copy", "--ouput"}), "");
  EXPECT_EQ(chosen_command(example.program).name(), "copy");
}

}  // namespace
}  // namespace virnucpro

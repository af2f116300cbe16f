#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/call_options.hpp"
#include "cli/command_line.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

Config parse(const std::string& text) {
  return Config::parse(text, "run.yaml");
}

Environment of_variable(const std::string& name, const std::string& value) {
  std::map<std::string, std::string, std::less<>> values;
  values.emplace(name, value);
  return Environment(std::move(values));
}

ModelChoice models_of(const ModelOptions& options, const std::string& config = "") {
  return choose_models(options, parse(config), {});
}

// Parses the options of a command line as the commands do.
ComputeSettings compute_of(const std::vector<std::string>& arguments,
                           const std::string& config = "", const Environment& environment = {}) {
  Command command("virnucpro", "");
  ComputeOptions options;
  add_compute_options(command, options);
  options.v2.add_unused_to(command);
  std::vector<const char*> words{"virnucpro"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  parse_command_line(command, words);
  return choose_compute(options, parse(config), environment);
}

TEST(ChooseModels, DefaultsToThePublished500) {
  const ModelChoice choice = models_of({});
  EXPECT_EQ(choice.chunk_size, 500U);
  EXPECT_EQ(choice.models.classifier, "500_model.pth");
  EXPECT_EQ(choice.classifier_name, "500");
  EXPECT_EQ(choice.models.dnabert_s, "zhihan1996/DNABERT-S");
  EXPECT_EQ(choice.models.esm2, "esm2_t36_3B_UR50D");
}

TEST(ChooseModels, TheTypeSetsClassifierAndChunkSizeAndTheLengthThatAlone) {
  EXPECT_EQ(models_of({.model_type = "300"}).chunk_size, 300U);
  EXPECT_EQ(models_of({.model_type = "300"}).models.classifier, "300_model.pth");
  EXPECT_EQ(models_of({.expected_length = "200"}).chunk_size, 200U);
  EXPECT_EQ(models_of({.expected_length = "200"}).models.classifier, "500_model.pth");
}

TEST(ChooseModels, TheConfigurationMayNameACustomClassifier) {
  const std::string config = "run: {classifier: mine.pth, chunk_size: 250}\n";
  ModelChoice choice = models_of({}, config);
  EXPECT_EQ(choice.models.classifier, "mine.pth");
  EXPECT_EQ(choice.classifier_name, "custom");
  EXPECT_EQ(choice.chunk_size, 250U);
  choice = models_of({.expected_length = "9"}, config);
  EXPECT_EQ(choice.chunk_size, 9U);
  choice = models_of({.model_type = "300"}, config);
  EXPECT_EQ(choice.models.classifier, "300_model.pth");
  EXPECT_EQ(choice.chunk_size, 300U);
  EXPECT_EQ(thrown_kind([] { models_of({}, "run: {chunk_size: 0}\n"); }), ErrorKind::kConfig);
}

TEST(ChooseModels, CustomNeedsAPath) {
  EXPECT_EQ(thrown_kind([] { models_of({.model_type = "custom"}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { models_of({.model_type = "custom", .expected_length = "9"}); }),
            ErrorKind::kUsage);
  const ModelChoice choice =
      models_of({.model_type = "custom", .model_path = "f.pth", .expected_length = "9"});
  EXPECT_EQ(choice.chunk_size, 9U);
  EXPECT_EQ(choice.models.classifier, "f.pth");
  EXPECT_EQ(choice.classifier_name, "custom");
}

TEST(ChooseModels, CustomHas500BasesAChunkUnlessTold) {
  const ModelOptions custom{.model_type = "custom", .model_path = "f"};
  EXPECT_EQ(models_of(custom).chunk_size, 500U);
  EXPECT_EQ(models_of(custom, "run: {chunk_size: 250}").chunk_size, 250U);
  EXPECT_EQ(models_of({.model_path = "f"}, "prediction: {default_model_type: custom}").chunk_size,
            500U);
}

TEST(ChooseModels, FlagGoesBeforeEnvironmentBeforeFile) {
  const Config config = parse("run: {models_dir: /usr}\nprediction: {default_model_type: 300}\n");
  const Environment environment = of_variable("VIRNUCPRO_MODELS", "/tmp");
  EXPECT_EQ(choose_models({}, config, {}).models.lookup.models_dir, "/usr");
  EXPECT_EQ(choose_models({}, config, environment).models.lookup.models_dir, "/tmp");
  const ModelChoice choice =
      choose_models({.model_type = "500", .models_dir = "/"}, config, environment);
  EXPECT_EQ(choice.models.lookup.models_dir, "/");
  EXPECT_EQ(choice.chunk_size, 500U);
  EXPECT_EQ(choose_models({}, config, environment).chunk_size, 300U);
}

TEST(ChooseModels, RefusesUnknownWords) {
  EXPECT_EQ(thrown_kind([] { models_of({.model_type = "400"}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { models_of({}, "prediction: {default_model_type: 400}"); }),
            ErrorKind::kConfig);
  for (const char* length : {"0", "-5", "5x", "2147483648"}) {
    EXPECT_EQ(thrown_kind([length] { models_of({.expected_length = length}); }), ErrorKind::kUsage);
  }
}

TEST(ChooseCompute, HasDefaults) {
  const ComputeSettings compute = compute_of({});
  EXPECT_GE(compute.threads, 1U);
  EXPECT_EQ(compute.token_budget, 0U) << "the device's choice";
  EXPECT_EQ(compute.prefetch, 2U);
  EXPECT_EQ(compute.precision, Precision::kFp32);
  EXPECT_TRUE(compute.packing);
}

TEST(ChooseCompute, FlagGoesBeforeFile) {
  const std::string config = "run: {threads: 3, token_budget: 100, precision: bf16}";
  EXPECT_EQ(compute_of({}, config).threads, 3U);
  EXPECT_EQ(compute_of({"-t", "2"}, config).threads, 2U);
  EXPECT_EQ(compute_of({"--token-budget", "auto"}, config).token_budget, 0U);
  EXPECT_EQ(compute_of({}, config).precision, Precision::kBf16);
  EXPECT_EQ(compute_of({"--precision", "fp32"}, config).precision, Precision::kFp32);
  EXPECT_EQ(compute_of({}, "features: {esm: {toks_per_batch: 7}}").token_budget, 0U);
}

TEST(ChooseCompute, AGpuThatIsNotThereIsAnError) {
  for (const char* device : {"cuda", "cuda:0", "cuda:0,2", "cuda:all", "1"}) {
    EXPECT_EQ(thrown_kind([device] { compute_of({"-d", device}); }), ErrorKind::kDevice) << device;
  }
  EXPECT_EQ(thrown_kind([] { compute_of({}, "device: {default: cuda}"); }), ErrorKind::kDevice);
  EXPECT_EQ(thrown_kind([] { compute_of({"--gpus", "0,1"}); }), ErrorKind::kDevice);
  EXPECT_EQ(thrown_kind([] { compute_of({"--precision", "fp16"}); }), ErrorKind::kPrecision);
  for (const char* device : {"tpu", "cuda:", "cuda:x", "cuda:0,", "cuda:-1", "0,1x"}) {
    EXPECT_EQ(thrown_kind([device] { compute_of({"-d", device}); }), ErrorKind::kUsage) << device;
    EXPECT_EQ(thrown_kind([device] {
                compute_of({"--gpus", device});
              }),
              ErrorKind::kUsage)
        << device;
  }
  EXPECT_EQ(thrown_kind([] { compute_of({}, "device: {default: tpu}"); }), ErrorKind::kConfig);
}

TEST(ChooseCompute, TakesInt8OnlyWhereItIsComputed) {
  EXPECT_EQ(thrown_kind([] { compute_of({"--precision", "int8"}); }), ErrorKind::kPrecision);
  EXPECT_EQ(thrown_kind([] { compute_of({}, "run: {precision: int8}"); }), ErrorKind::kPrecision);
  EXPECT_EQ(compute_of({"--precision", "int8-simulated"}).precision, Precision::kInt8);
  EXPECT_EQ(compute_of({}, "run: {precision: int8-simulated}").precision, Precision::kInt8);
}

TEST(ChooseCompute, KeepsLinearsInInt8Alone) {
  EXPECT_EQ(thrown_kind([] { compute_of({"--int8-keep", "fc2"}); }), ErrorKind::kUsage);
  EXPECT_EQ(compute_of({"--int8-keep", "none"}).int8_policy, Int8Policy());
  // A file serves runs in every precision.
  EXPECT_EQ(compute_of({}, "run: {int8_keep: fc2}").int8_policy, Int8Policy());
}

TEST(ChooseInt8Policy, FlagGoesBeforeFile) {
  const Config config = parse("run: {int8_keep: '0-3.qkv'}");
  EXPECT_EQ(choose_int8_policy("", {}), Int8Policy());
  EXPECT_EQ(choose_int8_policy("", config).text(), "0-3.qkv");
  EXPECT_EQ(choose_int8_policy("fc1", config).text(), "fc1");
  EXPECT_EQ(choose_int8_policy("none", config), Int8Policy());
  EXPECT_EQ(thrown_kind([&] { choose_int8_policy("fc3", config); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { choose_int8_policy("", parse("run: {int8_keep: 5-3.out}")); }),
            ErrorKind::kConfig);
}

TEST(PrecisionText, NamesWhatIsKept) {
  ComputeSettings compute{.precision = Precision::kFp16};
  EXPECT_EQ(precision_text(compute), "fp16");
  compute.precision = Precision::kInt8;
  EXPECT_EQ(precision_text(compute), "int8-simulated");
  compute.gpus = {{.index = 0}};
  EXPECT_EQ(precision_text(compute), "int8");
  compute.int8_policy = Int8Policy::parse("fc2,0.qkv").value();
  EXPECT_EQ(precision_text(compute), "int8 with 0.qkv,fc2 in 16 bits");
}

TEST(ChooseCompute, BoundsItsNumbers) {
  EXPECT_EQ(thrown_kind([] { compute_of({"-t", "0"}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { compute_of({"-t", ""}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { compute_of({"--prefetch", "-1"}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { compute_of({"--token-budget", "1e9"}); }), ErrorKind::kUsage);
  EXPECT_EQ(thrown_kind([] { compute_of({}, "run: {threads: 0}"); }), ErrorKind::kConfig);
}

TEST(ChooseCompute, TakesEveryFlagOfV2) {
  for (const V2Flag& flag : v2_flags()) {
    std::string names(flag.names);
    for (std::size_t begin = 0; begin < names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      std::vector<std::string> arguments{names.substr(begin, end - begin)};
      if (flag.takes_value) arguments.emplace_back("64");
      if (flag.effect != V2Effect::kGpus) {
        EXPECT_NO_THROW(compute_of(arguments)) << arguments.front();
      }
      begin = end + 1;
    }
  }
}

TEST(ChooseCompute, MapsOneFlagOfV2) {
  EXPECT_EQ(compute_of({"--esm-batch-size", "64"}).token_budget, 0U) << "of padded batches";
  EXPECT_EQ(compute_of({"--v1-fallback"}, "run: {precision: bf16}").precision, Precision::kFp32);
}

TEST(ChooseCompute, PackingCanBeSwitchedOff) {
  const auto packing = [](const std::string& value) {
    return compute_of({}, "", of_variable("VIRNUCPRO_DISABLE_PACKING", value)).packing;
  };
  EXPECT_FALSE(packing("1"));
  EXPECT_FALSE(packing("true"));
  EXPECT_TRUE(packing("0"));
  EXPECT_TRUE(packing(""));
}

TEST(ChooseCallRule, TakesFlagsBeforeTheConfiguration) {
  EXPECT_EQ(choose_call_rule({}, {}, {}), CallRule(0, 0.5));
  EXPECT_EQ(choose_call_rule({.min_score = "1", .min_share = "0"}, {}, {}), CallRule(1, 0));
  const Config config = parse("run: {min_score: 0.75, min_share: 0.25}");
  EXPECT_EQ(choose_call_rule({}, config, {}), CallRule(0.75, 0.25));
  EXPECT_EQ(choose_call_rule({.min_score = "0.5"}, config, {}), CallRule(0.5, 0.25));
  // A run that is resumed keeps its own: what a file says was not given for it.
  EXPECT_EQ(choose_call_rule({}, config, CallRule(0.125, 1)), CallRule(0.125, 1));
  EXPECT_EQ(choose_call_rule({.min_score = "0.5"}, config, CallRule(0.125, 1)), CallRule(0.5, 1));
  EXPECT_EQ(choose_call_rule({}, parse("run: {threshold: 0.25}"), {}), CallRule(0, 0.25));
}

TEST(ChooseCallRule, RefusesWhatIsNoShare) {
  for (const CallOptions& options :
       {CallOptions{.min_score = "1.1"}, CallOptions{.min_share = "-1"},
        CallOptions{.min_share = "half"}}) {
    EXPECT_EQ(thrown_kind([&] { choose_call_rule(options, {}, {}); }), ErrorKind::kUsage);
  }
  for (const char* text : {"run: {threshold: 2}", "run: {min_score: -0.1}", "run: {min_share: 1.1}",
                           "run: {threshold: 0.5, min_share: 0.5}"}) {
    EXPECT_EQ(thrown_kind([&] { choose_call_rule({}, parse(text), std::nullopt); }),
              ErrorKind::kConfig)
        << text;
  }
}

}  // namespace
}  // namespace virnucpro

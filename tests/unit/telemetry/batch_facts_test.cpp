#include "telemetry/batch_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "telemetry/text_lines.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kLine =
    R"({"batch":0,"worker":0,"time":3.5,"frames":195,"esm_tokens":30000,"dna_tokens":21000,)"
    R"("budget_tokens":32768,"packing":0.998,"waiting":0.25,"queue":2,"queue_state":"full",)"
    R"("to_device":0.5,"esm2":2.0,"seconds":3.0,"journal":0.125})";

BatchFacts batch_facts(const std::string& text) {
  const TempDir directory;
  write_text(directory / "t.jsonl", text);
  return read_batches(directory / "t.jsonl");
}

TEST(BatchFacts, AddUpTheLines) {
  const BatchFacts facts = batch_facts(fmt::format("{0}\n{0}\n", kLine));
  EXPECT_EQ(facts.totals.batches, 2U);
  EXPECT_EQ(facts.damaged_lines, 0U);
  EXPECT_EQ(facts.totals.frames, 390U);
  EXPECT_EQ(facts.totals.esm_tokens, 60000U);
  EXPECT_EQ(facts.totals.dna_tokens, 42000U);
  EXPECT_EQ(facts.totals.budget_tokens, 65536U);
  EXPECT_EQ(facts.seconds, 3.5);
  EXPECT_EQ(facts.longest_wait, 0.25);
  EXPECT_EQ(facts.totals.times.esm2, 4.0);
  EXPECT_EQ(facts.journal, 0.25);
  EXPECT_EQ(facts.queue_states, (std::array<std::uint64_t, 3>{0, 0, 2}));
  EXPECT_EQ(facts.workers.at(0).busy, 6.0);
  EXPECT_EQ(facts.workers.at(0).waiting, 0.5);
}

TEST(BatchFacts, EndWithTheLastWholeLine) {
  const BatchFacts facts = batch_facts(fmt::format("{}\n{}", kLine, std::string(kLine, 40)));
  EXPECT_EQ(facts.totals.batches, 1U);
  EXPECT_EQ(facts.damaged_lines, 0U);
}

TEST(BatchFacts, AreNothingOfAnEmptyFile) {
  const BatchFacts facts = batch_facts("");
  EXPECT_EQ(facts.totals.batches, 0U);
  EXPECT_EQ(facts.damaged_lines, 0U);
}

TEST(BatchFacts, CountLinesThatAreDamaged) {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  const std::string longest = R"({"time":1,"x":")" + std::string(kLongestLine, 'x') + "\"}";
  for (const std::string& line :
       {std::string("{"), std::string(R"({"time": NaN})"), std::string(R"({"frames": 3})"),
        std::string(R"({"time": "3"})"), std::string(R"({"time": 1e14})"),
        std::string(R"({"time": 1e999})"), std::string(R"({"time": -1})"), std::string("\0\0", 2),
        std::string("\xff"), std::string(), deep, longest}) {
    const BatchFacts facts = batch_facts(fmt::format("{}\n{}\n", line, kLine));
    EXPECT_EQ(facts.damaged_lines, 1U) << line.substr(0, 40);
    EXPECT_EQ(facts.totals.batches, 1U) << line.substr(0, 40);
  }
}

TEST(BatchFacts, LeaveOutNumbersThatCannotBe) {
  const BatchFacts facts = batch_facts(
      R"({"time":1,"frames":-4,"esm_tokens":1e300,"waiting":-1,"packing":null,"seconds":1e300,)"
      R"("worker":-1,"queue_state":"<b>"})"
      "\n");
  EXPECT_EQ(facts.totals.batches, 1U);
  EXPECT_EQ(facts.totals.frames + facts.totals.esm_tokens, 0U);
  EXPECT_EQ(facts.queue_states, (std::array<std::uint64_t, 3>{}));
  EXPECT_TRUE(facts.workers.empty());
  EXPECT_TRUE(telemetry_of(facts).stages.empty());
}

TEST(BatchFacts, TellWhatAKilledRunDidNotWrite) {
  const RunTelemetry telemetry = telemetry_of(batch_facts(fmt::format("{0}\n{0}\n", kLine)));
  EXPECT_EQ(telemetry.run.seconds, 3.5);
  EXPECT_EQ(telemetry.workload.batches, 2U);
  EXPECT_EQ(telemetry.throughput.frames_per_second, 390 / 3.5);
  EXPECT_EQ(telemetry.throughput.tokens_per_second, 102000 / 3.5);
  EXPECT_EQ(telemetry.packing.efficiency, 60000.0 / 65536);
  EXPECT_EQ(telemetry.waits.average_seconds, 0.25);
  EXPECT_EQ(telemetry.waits.max_seconds, 0.25);
  EXPECT_EQ(telemetry.waits.queue.full, 2U);
  EXPECT_FALSE(telemetry.waits.queue.starved || telemetry.waits.p50_seconds ||
               telemetry.run.status);
  std::vector<std::string> stages;  // the stages in the lines
  for (const RunTelemetry::Stage& stage : telemetry.stages)
    stages.push_back(stage.name.value_or(""));
  EXPECT_EQ(stages, (std::vector<std::string>{"esm2", "journal", "to_device", "waiting"}));
  EXPECT_EQ(telemetry.stages.front().share, 4 / 5.75);
}

TEST(BatchFacts, TellNothingOfNoBatch) {
  const RunTelemetry telemetry = telemetry_of(batch_facts(""));
  EXPECT_FALSE(telemetry.run.seconds || telemetry.workload.batches || telemetry.waits.max_seconds);
  EXPECT_TRUE(telemetry.stages.empty());
}

TEST(BatchFacts, NameNoMoreThanSomeWorkers) {
  std::string text;
  for (int worker = 0; worker < 1000; ++worker) {
    text += fmt::format("{{\"time\":1,\"worker\":{}}}\n", worker);
  }
  const BatchFacts facts = batch_facts(text);
  EXPECT_EQ(facts.workers.size(), BatchFacts::kMostWorkers);
  EXPECT_EQ(facts.totals.batches, 1000U);
}

}  // namespace
}  // namespace virnucpro

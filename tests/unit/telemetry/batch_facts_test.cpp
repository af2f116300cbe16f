#include "telemetry/batch_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/text_file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kLine =
    R"({"batch":0,"worker":0,"time":3.5,"frames":195,"esm_tokens":30000,"dna_tokens":21000,)"
    R"("budget_tokens":32768,"packing":0.998,"waiting":0.25,"queue":2,"queue_state":"full",)"
    R"("to_device":0.5,"esm2":2.0,"dnabert_s":0.5,"classifier":0.125,"to_host":0.125,)"
    R"("seconds":2.75,"journal":0.125})";

BatchFacts batch_facts(const std::string& text) {
  const TempDir directory;
  write_text(directory / "t.jsonl", text);
  return read_batches(directory / "t.jsonl");
}

TEST(BatchFacts, AddUpTheLines) {
  const BatchFacts facts = batch_facts(fmt::format("{0}\n{0}\n", kLine));
  EXPECT_EQ(facts.damaged_lines, 0U);
  EXPECT_EQ(facts.pipeline.totals.batches, 2U);
  EXPECT_EQ(facts.pipeline.totals.times.esm2, 4.0);
  EXPECT_EQ(facts.pipeline.last, 3.5);
  EXPECT_EQ(facts.pipeline.queue_states, (std::array<std::uint64_t, 3>{0, 0, 2}));
  EXPECT_EQ(facts.journal_seconds, 0.25);
}

TEST(BatchFacts, EndWithTheLastWholeLine) {
  const BatchFacts facts = batch_facts(fmt::format("{}\n{}", kLine, std::string(kLine, 40)));
  EXPECT_EQ(facts.pipeline.totals.batches, 1U);
  EXPECT_EQ(facts.damaged_lines, 0U);
}

TEST(BatchFacts, AreNothingOfAnEmptyFile) {
  const BatchFacts facts = batch_facts("");
  EXPECT_EQ(facts.pipeline.totals.batches, 0U);
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
    EXPECT_EQ(facts.pipeline.totals.batches, 1U) << line.substr(0, 40);
  }
}

TEST(BatchFacts, KeepTheBinsOfSomeWorkersOnly) {
  std::string text;
  for (std::uint64_t worker = 0; worker < 200; ++worker) {
    std::string line = kLine;
    text +=
        line.replace(line.find("\"worker\":0"), 10, fmt::format("\"worker\":{}", worker << 24U));
    text += '\n';
  }
  const BatchFacts facts = batch_facts(text);
  EXPECT_EQ(facts.pipeline.totals.batches, 200U);
  EXPECT_EQ(facts.pipeline.workers.size(), 1U);
  EXPECT_EQ(facts.esm_tokens_by_worker.size(), BatchFacts::kMostWorkers);
}

}  // namespace
}  // namespace virnucpro

#include "telemetry/batch_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

TEST(BatchLine, IsWrittenAndRead) {
  const BatchMetrics batch{.batch = 7,
                           .worker = 1,
                           .time = 3.5,
                           .frames = 195,
                           .esm_tokens = 30000,
                           .dna_tokens = 21000,
                           .budget_tokens = 32768,
                           .queue = 2,
                           .queue_state = QueueState::kFull,
                           .times = {.waiting = 0.25,
                                     .to_device = 0.5,
                                     .esm2 = 2,
                                     .dnabert_s = 0.125,
                                     .classifier = 1e-7,
                                     .to_host = 0.0625}};
  const std::string text = write_batch_line(batch, 0.375, 97);
  EXPECT_EQ(text,
            R"({"batch":7,"worker":1,"time":3.500000,"frames":195,"esm_tokens":30000,)"
            R"("dna_tokens":21000,"budget_tokens":32768,"packing":0.9155,"queue":2,)"
            R"("queue_state":"full","waiting":0.250000,"to_device":0.500000,"esm2":2.000000,)"
            R"("dnabert_s":0.125000,"classifier":0.000000,"to_host":0.062500,)"
            R"("seconds":2.187500,"journal":0.375000,"gpu_util":97.0,"tokens_per_sec":23314.3})"
            "\n");
  const BatchLine line = read_batch_line(text, "t.jsonl");
  EXPECT_EQ(line.batch.worker, 1U);
  EXPECT_EQ(line.packing, 0.9155);
  BatchMetrics read = line.batch;
  read.times.classifier = 1e-7;  // too short for its digits
  EXPECT_EQ(write_batch_line(read, line.journal, line.gpu_util), text);
}

TEST(BatchLine, MayLackWhatOlderProgramsDidNotWrite) {
  const std::string text = write_batch_line({}, 0);
  const std::string newer = R"(,"gpu_util":null,"tokens_per_sec":null)";
  ASSERT_NE(text.find(newer), std::string::npos) << text;
  std::string older = text;
  older.erase(older.find(newer), newer.size());
  for (const std::string& one : {text, older}) {
    const BatchLine line = read_batch_line(one, "t.jsonl");
    EXPECT_FALSE(line.gpu_util || line.tokens_per_sec);
  }
}

TEST(BatchLine, NeedsEveryColumn) {
  const std::string whole =
      write_batch_line({.worker = 1, .esm_tokens = 8, .budget_tokens = 8}, 0.25);
  for (const auto& [from, to] :
       {std::pair{R"("worker":1)", R"("worker":-1)"},
        std::pair{R"("worker":1)", R"("worker":4294967296)"}, std::pair{R"("frames":0,)", ""},
        std::pair{R"("frames":0)", R"("frames":-4)"},
        std::pair{R"("esm_tokens":8)", R"("esm_tokens":1e300)"},
        std::pair{R"("waiting":0.000000)", R"("waiting":-1)"},
        std::pair{R"("packing":1.0000)", R"("packing":null)"},
        std::pair{R"("time":0.000000)", R"("time":"3")"},
        std::pair{R"("esm2":0.000000)", R"("esm2":1e300)"}, std::pair{R"("normal")", R"("<b>")"},
        std::pair{R"("normal")", "3"}}) {
    std::string text = whole;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string_view(from).size(), to);
    EXPECT_EQ(thrown_kind([&] { read_batch_line(text, "t.jsonl"); }), ErrorKind::kJson) << text;
  }
  EXPECT_EQ(thrown_kind([] { read_batch_line("{", "t.jsonl"); }), ErrorKind::kJson);
}

}  // namespace
}  // namespace virnucpro

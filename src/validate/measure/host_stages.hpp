#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "validate/measure/timer.hpp"

namespace virnucpro {

// One stage of the host over the same sequences again and again, on one thread and by itself: what
// it takes in lies in memory.
struct HostStage {
  std::string name;
  std::vector<double> seconds;  // of each repeat
  // By which memory grew at most, of what it leaves to the next stage too; empty: not told here.
  std::optional<std::uint64_t> peak_bytes;
};

struct HostStages {
  std::uint64_t sequences = 0;  // that each repeat works through
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::vector<HostStage> stages;  // read, translate, tokenize, pack
};

struct HostStageSettings {
  std::vector<std::filesystem::path> inputs;
  std::uint64_t chunk_size = 500;
  std::size_t token_budget = 32768;
  std::uint64_t most_sequences = 2000;  // beyond them nothing new is told
  TimerSettings timer{};
};

// Errors: those of reading the inputs; Cancel's.
HostStages measure_host_stages(const HostStageSettings& settings, const DnaTokenizer& tokenizer,
                               const Cancel& cancel);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/timing/turns.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace virnucpro {

// Measurements of one stage of the host. The stage ran alone on one thread, several times over the
// same sequences, with its input in memory.
struct HostStage {
  std::string name;
  std::vector<double> seconds;  // duration of each repeat
  // The largest growth of memory, including the stage's result; empty if the kernel reports none.
  std::optional<std::uint64_t> peak_bytes;
};

struct HostStages {
  std::uint64_t sequences = 0;  // number of sequences in each repeat
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::vector<HostStage> stages;  // read, translate, tokenize, pack
};

struct HostStageSettings {
  std::vector<std::filesystem::path> inputs;
  std::uint64_t chunk_size = 500;
  std::size_t token_budget = 32768;
  std::uint64_t most_sequences = 2000;  // a larger number would give the same rates
  TimerSettings timer{};
};

// Measures each stage alone. Errors: those of the inputs and of Cancel.
HostStages measure_host_stages(const HostStageSettings& settings, const DnaTokenizer& tokenizer,
                               const Cancel& cancel);

// Runs all stages before inference together, as `predict` does: read → chunk → translate → tokenize
// → pack. `threads` threads translate and tokenize, and the caller's thread packs.
class HostPath {
 public:
  HostPath(const HostStageSettings& settings, std::size_t threads, const DnaTokenizer& tokenizer,
           const Cancel& cancel);

  // Runs all sequences of the inputs through the stages. Returns the number of sequences. Errors:
  // those of the inputs and of Cancel.
  std::uint64_t pass();
  // Returns the number of different frames in the last pass.
  std::size_t frames() const { return frames_; }

 private:
  const HostStageSettings settings_;
  const std::size_t threads_;
  const DnaTokenizer& tokenizer_;
  const Cancel& cancel_;
  std::size_t frames_ = 0;
};

// Calls `work` and returns the most bytes by which this process's resident memory grew, including
// the results of `work`. Empty if the kernel does not report the peak. Errors: those of `work`.
std::optional<std::uint64_t> peak_memory_of(const std::function<void()>& work);

}  // namespace virnucpro

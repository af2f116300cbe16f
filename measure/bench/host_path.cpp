// bench_host_path THREADS CHUNK_SIZE TOKENIZER FILE…
//
// Times the steps of a run before inference: read → chunk → translate → tokenize → pack, with the
// classes and settings of `predict`. THREADS threads translate and tokenize; the packer has the
// main thread, as in a run. The work of a pass is its sequences.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "measure/bench/serve.hpp"
#include "observe/counters.hpp"
#include "run/frame_stream.hpp"
#include "run/settings.hpp"
#include "sequence/input_set.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "tokens/packer.hpp"

namespace virnucpro::bench {
namespace {

constexpr std::size_t kTokenBudget = 32'768;  // what a GPU chooses in 16 bits

// Takes a batch if there is one, as a worker of a run does; returns its number of frames.
std::size_t frames_of(std::optional<PackedBatch> batch) {
  return batch ? batch->frames.frames() : 0;
}

class HostPath {
 public:
  HostPath(std::size_t threads, std::uint64_t chunk_size, const std::string& tokenizer,
           std::vector<std::string> paths)
      : tokenizer_(DnaTokenizer::load(tokenizer)),
        settings_{.source = FrameSource::kSequences,
                  .chunk_size = chunk_size,
                  .min_length = 0,
                  .keep_text = false,
                  .keep_records = false,
                  .threads = threads},
        paths_(std::move(paths)) {}

  // Runs a pass; returns the number of sequences.
  std::size_t run() {
    RunCounters counters;
    InputSet inputs({.paths = paths_}, cancel_);
    FrameStream stream(inputs, settings_, &tokenizer_, counters, cancel_);
    Packer packer({.token_budget = kTokenBudget,
                   .frames_in_window = limits().frames_in_window,
                   .tokens_in_window = 0,
                   .frames_per_batch = limits().frames_per_batch,
                   .deduplicate = ComputeSettings{}.deduplicate});
    std::uint64_t number = 0;
    packed_ = 0;
    while (std::optional<FrameEvent> event = stream.next()) {
      if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
      auto* part = std::get_if<FramePart>(&*event);
      if (part == nullptr) continue;
      for (FrameTokens& frame : part->tokens) {
        packer.add(std::move(frame), number++);
        while (const std::size_t frames = frames_of(packer.next_batch())) packed_ += frames;
      }
    }
    while (const std::size_t frames = frames_of(packer.drain())) packed_ += frames;
    return counters.sequences.get();
  }

  std::size_t packed() const { return packed_; }

 private:
  const Cancel cancel_;
  const DnaTokenizer tokenizer_;
  const FrameStreamSettings settings_;
  const std::vector<std::string> paths_;
  std::size_t packed_ = 0;
};

void measure(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    throw std::invalid_argument("usage: bench_host_path THREADS CHUNK_SIZE TOKENIZER FILE...");
  }
  HostPath path(std::stoul(arguments[1]), std::stoull(arguments[2]), arguments[3],
                {arguments.begin() + 4, arguments.end()});
  const std::size_t sequences = path.run();
  serve([&path] { return path.run(); },
        fmt::format("{} sequences, {} different frames", sequences, path.packed()));
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::measure);
}

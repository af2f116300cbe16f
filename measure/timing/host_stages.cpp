#include "measure/timing/host_stages.hpp"

#include <fcntl.h>
#include <malloc.h>

#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/file.hpp"
#include "observe/counters.hpp"
#include "observe/host_usage.hpp"
#include "run/batch_runner.hpp"
#include "run/frame_stream.hpp"
#include "sequence/chunker.hpp"
#include "sequence/frames.hpp"
#include "sequence/input_set.hpp"
#include "tokens/esm_alphabet.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {
namespace {

std::vector<std::string> input_paths(const HostStageSettings& settings) {
  std::vector<std::string> paths;
  for (const auto& path : settings.inputs) paths.push_back(path.string());
  return paths;
}

// Calls `next` of the packer until it returns no batch. Returns the number of frames.
std::size_t take_batches(Packer& packer, std::optional<PackedBatch> (Packer::*next)()) {
  std::size_t frames = 0;
  while (const std::optional<PackedBatch> batch = (packer.*next)()) {
    frames += batch->frames.frames();
  }
  return frames;
}

// The stages of the host. Each does its work as in a run, and keeps its result for the next stage.
class Stages {
 public:
  Stages(const HostStageSettings& settings, const DnaTokenizer& tokenizer, const Cancel& cancel)
      : settings_(settings), tokenizer_(tokenizer), cancel_(cancel) {}

  void read() {
    sequences_.clear();
    InputSet inputs({.paths = input_paths(settings_)}, cancel_);
    while (sequences_.size() < settings_.most_sequences) {
      std::optional<InputEvent> event = inputs.next();
      if (!event) return;
      if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
      if (auto* record = std::get_if<InputRecord>(&*event)) {
        sequences_.push_back(std::move(record->record.letters));
      }
    }
  }

  void translate() {
    frames_.clear();
    for (const std::string& letters : sequences_) {
      const ChunkPlan plan(letters.size(), settings_.chunk_size);
      for (std::uint64_t k = 0; k < plan.count(); ++k) {
        const Chunk chunk = plan.at(k);
        const std::string_view part(letters.data() + chunk.begin, chunk.end - chunk.begin);
        for (Frame& frame : stop_free_frames(part)) frames_.push_back(std::move(frame));
      }
    }
  }

  void tokenize() {
    tokens_.clear();
    for (const Frame& frame : frames_) {
      tokens_.push_back(
          {.esm = esm_tokens(frame.protein), .dna = tokenizer_.encode(frame.nucleotides)});
    }
  }

  void pack() {
    Packer packer(pack_settings({.deduplicate = false}, settings_.token_budget));
    std::uint64_t number = 0;
    for (const FrameTokens& tokens : tokens_) {
      packer.add(FrameTokens(tokens), number++);
      take_batches(packer, &Packer::next_batch);
    }
    take_batches(packer, &Packer::drain);
  }

  void count(HostStages& into) const {
    into.sequences = sequences_.size();
    into.frames = frames_.size();
    for (const FrameTokens& tokens : tokens_) {
      into.esm_tokens += tokens.esm.size();
      into.dna_tokens += tokens.dna.size();
    }
  }

 private:
  const HostStageSettings& settings_;
  const DnaTokenizer& tokenizer_;
  const Cancel& cancel_;
  std::vector<std::string> sequences_;
  std::vector<Frame> frames_;
  std::vector<FrameTokens> tokens_;
};

// Resets the kernel's peak of resident memory (proc_pid_clear_refs(5)). Returns false on failure.
bool restart_peak() {
  const UniqueFd file(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 && write_all(file.get(), "5") == 0;
}

}  // namespace

HostStages measure_host_stages(const HostStageSettings& settings, const DnaTokenizer& tokenizer,
                               const Cancel& cancel) {
  Stages stages(settings, tokenizer, cancel);
  HostStages result;
  const auto measure = [&](const char* name, void (Stages::*stage)()) {
    const auto work = [&] { (stages.*stage)(); };
    const auto peak_bytes = peak_memory_of(work);  // before memory holds results
    result.stages.push_back({name, time_repeats(settings.timer, work, cancel), peak_bytes});
  };
  measure("read", &Stages::read);
  measure("translate", &Stages::translate);
  measure("tokenize", &Stages::tokenize);
  measure("pack", &Stages::pack);
  stages.count(result);
  return result;
}

HostPath::HostPath(const HostStageSettings& settings, std::size_t threads,
                   const DnaTokenizer& tokenizer, const Cancel& cancel)
    : settings_(settings), threads_(threads), tokenizer_(tokenizer), cancel_(cancel) {}

std::uint64_t HostPath::pass() {
  RunCounters counters;
  InputSet inputs({.paths = input_paths(settings_)}, cancel_);
  FrameStream stream(inputs, {.chunk_size = settings_.chunk_size, .threads = threads_}, &tokenizer_,
                     counters, cancel_);
  Packer packer(pack_settings({}, settings_.token_budget));
  std::uint64_t number = 0;
  frames_ = 0;
  while (std::optional<FrameEvent> event = stream.next()) {
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    auto* part = std::get_if<FramePart>(&*event);
    if (part == nullptr) continue;
    for (FrameTokens& frame : part->tokens) {
      packer.add(std::move(frame), number++);
      frames_ += take_batches(packer, &Packer::next_batch);
    }
  }
  frames_ += take_batches(packer, &Packer::drain);
  return counters.sequences.get();
}

std::optional<std::uint64_t> peak_memory_of(const std::function<void()>& work) {
  ::malloc_trim(0);  // frees unused pages: reusing such pages would not count as growth
  const bool restarted = restart_peak();
  const auto before = read_host_usage().rss_bytes;
  work();
  const auto peak = read_host_usage().peak_rss_bytes;
  if (!restarted || !before || !peak) return std::nullopt;
  return *peak > *before ? *peak - *before : 0;
}

}  // namespace virnucpro

#include <dlfcn.h>
#include <fmt/format.h>
#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <virnucpro/virnucpro.hpp>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/host.hpp"
#include "base/version.hpp"
#include "engine/worker.hpp"
#include "library/exception.hpp"
#include "observe/counters.hpp"
#include "run/batch_runner.hpp"
#include "run/load_models.hpp"
#include "run/start_models.hpp"
#include "sequence/chunker.hpp"
#include "sequence/frames.hpp"
#include "sequence/record.hpp"
#include "sequence/rna_judge.hpp"
#include "tables/sequence_summary.hpp"
#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace {

// Gives the calling thread the processor's default floating-point mode while this object exists,
// because in its own mode the thread may round differently or replace tiny numbers by 0.
class UsualArithmetic {
 public:
  UsualArithmetic() { _mm_setcsr(kUsual); }
  ~UsualArithmetic() { _mm_setcsr(before_); }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
  static constexpr unsigned kUsual = 0x1f80;  // MXCSR's value in a new thread
  unsigned before_ = _mm_getcsr();
};

// Runs `work`. Turns any exception that `work` throws into an Exception.
template <typename Work>
auto guarded(const Work& work) {
  try {
    const UsualArithmetic arithmetic;
    return work();
  } catch (const std::exception& error) {
    throw ExceptionMaker::of(error);
  }
}

void require_within(const char* option, std::size_t value, std::size_t least, std::size_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} {}: expected a number from {} to {}", option, value, least, most));
}

// Finds the folder share/virnucpro of the build or the installation, relative to this library.
std::filesystem::path find_share_directory() noexcept {
  try {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&find_share_directory), &info) == 0) return {};
    const auto library = std::filesystem::canonical(info.dli_fname);
    return (library.parent_path() / VIRNUCPRO_SHARE_FROM_LIBRARY).lexically_normal();
  } catch (const std::exception&) {
    return {};
  }
}

// Computed when the library is loaded, because its path may be relative to the working directory of
// that moment.
const std::filesystem::path kShareDirectory = find_share_directory();

ModelSettings model_settings(const Models::Options& options) {
  return {.dnabert_s = options.dnabert_s,
          .esm2 = options.esm2,
          .classifier = options.classifier,
          .lookup = {.models_dir = options.models_dir,
                     .share_dir = options.share_dir.empty()
                                      ? kShareDirectory
                                      : std::filesystem::path(options.share_dir)}};
}

ComputeSettings compute_settings(const Models::Options& options) {
  require_within("threads", options.threads, 0, kMostThreads);
  require_within("token_budget", options.token_budget, 1, kLargestBudget);
  require_within("chunk_size", options.chunk_size, 1, kMaxLetters);
  ComputeSettings compute;
  compute.threads =
      options.threads > 0 ? options.threads : std::min(usable_processors(), kMostThreads);
  compute.token_budget = options.token_budget;
  compute.precision = options.bf16 ? Precision::kBf16 : Precision::kFp32;
  return compute;
}

Translation translation_of(const Models::Options& options) {
  const auto code = known_genetic_code(options.genetic_code);
  if (!code) {
    throw Error(ErrorKind::kUsage,
                fmt::format("genetic_code {}: expected {}", options.genetic_code, kGeneticCodes));
  }
  return {.genetic_code = *code, .rna = options.rna == Models::Rna::as_dna};
}

void require_no_rna(const std::vector<std::string_view>& sequences) {
  RnaJudge judge;
  for (const std::string_view letters : sequences) judge.add(letters);
  if (const auto error = judge.verdict()) throw Error(*error);
}

std::size_t chunk_count(std::string_view letters, std::size_t chunk_size) {
  return letters.empty() ? 0 : ChunkPlan(letters.size(), chunk_size).count();
}

ScoredSequence scored_sequence(const SequencePart& part, std::size_t chunk_size) {
  ScoredSequence sequence;
  for (std::uint64_t chunk = 0; chunk < part.chunks; ++chunk) {
    const auto [begin, end] = ChunkPlan(part.length, chunk_size).at(chunk);
    ScoredChunk& out = sequence.chunks.emplace_back();
    out.begin = begin;
    out.end = end;
  }
  for (const FrameScore& frame : part.frames) {
    sequence.chunks[frame.chunk].frames.push_back(
        {kFrameNames[frame.name], frame.scores.others, frame.scores.virus});
  }
  for (const ChunkScore& score : scored_chunks(part)) {
    ScoredChunk& chunk = sequence.chunks[score.chunk];
    chunk.others = score.scores.others;
    chunk.virus = score.scores.virus;
    chunk.is_virus = is_originally_virus(score.scores);
    ++sequence.chunks_scored;
    if (chunk.is_virus) ++sequence.virus_chunks;
  }
  return sequence;
}

// The results that the caller needs.
enum class Wanted : std::uint8_t { kScores, kEmbeddings, kBoth };

}  // namespace

struct Models::State {
  explicit State(const Options& options)
      : compute(compute_settings(options)),
        chunk_size(options.chunk_size),
        translation(translation_of(options)),
        refuses_rna(options.rna == Rna::refuse),
        outputs({.scores = !options.classifier.empty(), .dnabert_s = true, .esm2 = true}),
        models(std::make_unique<const LoadedModels>(
            load_models(model_settings(options), engine_settings(compute, outputs), cancel))) {}
  // Leaves the models in memory in a child of fork(), because their destructor would wait for
  // threads that the child does not have.
  ~State() {
    if (::getpid() != process) static_cast<void>(models.release());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Analysis analyse(const std::vector<std::string_view>& sequences, Wanted wanted);

  const Cancel cancel;  // never requested
  const ComputeSettings compute;
  const std::size_t chunk_size;
  const Translation translation;
  const bool refuses_rna;
  const EngineOutputs outputs;
  const pid_t process = ::getpid();  // the process that opened the models
  std::unique_ptr<const LoadedModels> models;
  std::mutex mutex;  // because only one thread at a time may use the engine
};

namespace {

// Collects the frames of one call, runs the models and stores the results.
class Analyser {
 public:
  Analyser(Engine& engine, const DnaTokenizer& tokenizer, const ComputeSettings& compute,
           std::size_t chunk_size, const Translation& translation, Wanted wanted)
      : tokenizer_(tokenizer),
        chunk_size_(chunk_size),
        translation_(translation),
        wanted_(wanted),
        worker_(engine, batches_waiting(compute)),
        runner_(
            worker_, compute, counters_,
            {.on_result = [this](auto number, const auto& result) { store_result(number, result); },
             .on_failed = {},  // a worker in this process never gives up a frame
             .name_of = [this](auto number) { return name_of(number); }}) {
    embeddings_.dnabert_s_width = engine.facts().dnabert_s_width;
    embeddings_.esm2_width = engine.facts().esm2_width;
  }

  void add(std::string_view letters) {
    if (letters.size() > kMaxLetters) {
      throw Error(ErrorKind::kInputTooLong,
                  fmt::format("sequence {} has {} letters", parts_.size(), letters.size()));
    }
    SequencePart& part = parts_.emplace_back();
    part.length = letters.size();
    part.chunks = chunk_count(letters, chunk_size_);
    for (std::uint64_t chunk = 0; chunk < part.chunks; ++chunk) {
      const auto [begin, end] = ChunkPlan(letters.size(), chunk_size_).at(chunk);
      for (const Frame& frame :
           stop_free_frames(letters.substr(begin, end - begin), translation_)) {
        add(chunk, frame);
      }
    }
  }

  Analysis finish() {
    runner_.flush();
    Analysis analysis;
    analysis.embeddings = std::move(embeddings_);
    if (wanted_ == Wanted::kEmbeddings) return analysis;
    for (const SequencePart& part : parts_) {
      analysis.scores.push_back(scored_sequence(part, chunk_size_));
    }
    return analysis;
  }

 private:
  // The index of a frame's sequence, and the frame's index in this sequence.
  struct FramePosition {
    std::size_t sequence = 0;
    std::size_t frame = 0;
  };

  void add(std::uint64_t chunk, const Frame& frame) {
    SequencePart& part = parts_.back();
    const std::size_t sequence = parts_.size() - 1;
    positions_.push_back({.sequence = sequence, .frame = part.frames.size()});
    part.frames.push_back({.chunk = chunk, .name = frame.name});
    if (wanted_ != Wanted::kScores) {
      embeddings_.frames.push_back({sequence, chunk, kFrameNames[frame.name]});
      embeddings_.values.resize(embeddings_.frames.size() * embeddings_.width());
    }
    runner_.add({esm_tokens(frame.protein), tokenizer_.encode(frame.nucleotides)},
                positions_.size() - 1);
  }

  void store_result(std::uint64_t number, const FrameResult& result) {
    score(number).scores = result.scores;
    if (wanted_ == Wanted::kScores) return;
    float* row = embeddings_.values.data() + number * embeddings_.width();
    std::ranges::copy(result.esm2, std::ranges::copy(result.dnabert_s, row).out);
  }

  FrameScore& score(std::uint64_t number) {
    const FramePosition& position = positions_[number];
    return parts_[position.sequence].frames[position.frame];
  }

  std::string name_of(std::uint64_t number) {
    const FrameScore& frame = score(number);
    return frame_id(fmt::format("sequence {}", positions_[number].sequence), frame.chunk,
                    frame.name);
  }

  const DnaTokenizer& tokenizer_;
  const std::size_t chunk_size_;
  const Translation translation_;
  const Wanted wanted_;
  std::vector<SequencePart> parts_;       // one part per sequence
  std::vector<FramePosition> positions_;  // position of each frame, by the frame's number
  Embeddings embeddings_;                 // filled only if wanted
  RunCounters counters_;                  // BatchRunner counts here; never read
  Worker worker_;                         // must stop before the members above are destroyed
  BatchRunner runner_;
};

}  // namespace

Analysis Models::State::analyse(const std::vector<std::string_view>& sequences, Wanted wanted) {
  if (::getpid() != process) {
    throw Error(ErrorKind::kUsage,
                "these models were opened before fork(), and a child process lacks their threads; "
                "open the models in the child");
  }
  if (wanted != Wanted::kEmbeddings && !outputs.scores) {
    throw Error(ErrorKind::kUsage,
                "scores were asked for, but no classifier was opened: set Options::classifier");
  }
  if (refuses_rna) require_no_rna(sequences);
  const std::lock_guard lock(mutex);
  Analyser analyser(*models->engine, *models->tokenizer, compute, chunk_size, translation, wanted);
  for (const std::string_view letters : sequences) analyser.add(letters);
  return analyser.finish();
}

Models::Models(const Options& options)
    : state_(guarded([&] { return std::make_unique<State>(options); })) {}

Models::~Models() = default;
Models::Models(Models&&) noexcept = default;
Models& Models::operator=(Models&&) noexcept = default;

std::vector<ScoredSequence> Models::classify(const std::vector<std::string_view>& sequences) const {
  return guarded([&] { return state_->analyse(sequences, Wanted::kScores); }).scores;
}

Embeddings Models::embed(const std::vector<std::string_view>& sequences) const {
  return guarded([&] { return state_->analyse(sequences, Wanted::kEmbeddings); }).embeddings;
}

Analysis Models::embed_and_classify(const std::vector<std::string_view>& sequences) const {
  return guarded([&] { return state_->analyse(sequences, Wanted::kBoth); });
}

const std::map<std::string, std::string>& Models::description() const noexcept {
  return state_->models->description;
}

std::string_view version() noexcept {
  return program_version();
}

}  // namespace virnucpro

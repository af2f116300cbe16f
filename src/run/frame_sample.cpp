#include "run/frame_sample.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "observe/counters.hpp"
#include "run/frame_stream.hpp"
#include "sequence/frames.hpp"
#include "sequence/input_set.hpp"
#include "sequence/open_input.hpp"
#include "sequence/random_letters.hpp"
#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace {

class Sample {
 public:
  explicit Sample(const SampleSettings& settings) : settings_(settings) {}

  bool is_full() const { return tokens_ >= settings_.tokens || frames_.size() >= settings_.frames; }
  void add(FrameTokens frame) {
    if (is_full()) return;
    tokens_ += token_count(frame);
    frames_.push_back(std::move(frame));
  }
  std::vector<FrameTokens> release_frames() { return std::move(frames_); }

 private:
  const SampleSettings& settings_;
  std::size_t tokens_ = 0;
  std::vector<FrameTokens> frames_;
};

constexpr std::size_t kLettersBetweenChecks = 1U << 16U;

// Returns the letters of a sequence without a stop codon in its first frame.
std::string coding_sequence(std::uint64_t seed, std::uint64_t length, const Cancel& cancel) {
  std::string letters;
  RandomLetters(Fraction{1, 2}).draw(RandomStream(seed, 0), length, true, [&](char letter) {
    if (letters.size() % kLettersBetweenChecks == 0) cancel.check();
    letters += letter;
  });
  return letters;
}

std::vector<FrameTokens> made_up_frames(const SampleSettings& settings,
                                        const DnaTokenizer* tokenizer, const Cancel& cancel) {
  Sample sample(settings);
  for (std::uint64_t seed = settings.first_seed; !sample.is_full(); ++seed) {
    const std::string letters = coding_sequence(seed, settings.chunk_size, cancel);
    const std::vector<Frame> frames = stop_free_frames(letters);
    if (frames.empty()) break;  // the chunk is too short for a codon, whatever the seed
    for (const Frame& frame : frames) {
      FrameTokens tokens;
      if (tokenizer != nullptr) tokens.dna = tokenizer->encode(frame.nucleotides);
      if (settings.proteins) tokens.esm = esm_tokens(frame.protein);
      sample.add(std::move(tokens));
    }
  }
  return sample.release_frames();
}

std::vector<FrameTokens> frames_of_file(const SampleSettings& settings,
                                        const DnaTokenizer* tokenizer, const Cancel& cancel) {
  Sample sample(settings);
  InputSet inputs({.paths = {settings.file}}, cancel);
  RunCounters counters;  // not used here
  FrameStream stream(inputs, {.chunk_size = settings.chunk_size}, tokenizer, counters, cancel);
  while (!sample.is_full()) {
    std::optional<FrameEvent> event = stream.next();
    if (!event) break;
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    auto* part = std::get_if<FramePart>(&*event);
    if (part == nullptr) continue;
    for (FrameTokens& tokens : part->tokens) {
      if (!settings.proteins) tokens.esm.clear();
      sample.add(std::move(tokens));
    }
  }
  return sample.release_frames();
}

}  // namespace

std::vector<FrameTokens> sample_frames(const SampleSettings& settings,
                                       const DnaTokenizer* tokenizer, const Cancel& cancel) {
  const bool made_up = settings.file.empty();
  std::vector<FrameTokens> frames = made_up ? made_up_frames(settings, tokenizer, cancel)
                                            : frames_of_file(settings, tokenizer, cancel);
  if (!frames.empty()) return frames;
  const std::string why =
      made_up ? fmt::format(
                    "chunks of {} bases are shorter than a codon: give a larger --expected-length",
                    settings.chunk_size)
              : fmt::format("{} has no stop-free frame in chunks of {} bases: name another file",
                            display_name(settings.file), settings.chunk_size);
  throw Error(ErrorKind::kUsage, why);
}

std::vector<PackedBatch> pack_all(const PackSettings& settings,
                                  std::span<const FrameTokens> frames) {
  Packer packer(settings);
  std::vector<PackedBatch> batches;
  const auto take = [&](std::optional<PackedBatch> (Packer::*next)()) {
    while (std::optional<PackedBatch> batch = (packer.*next)()) {
      batches.push_back(std::move(*batch));
    }
  };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    packer.add(frames[i], i);
    take(&Packer::next_batch);
  }
  take(&Packer::drain);
  return batches;
}

std::size_t token_count(const FrameTokens& frame) {
  return frame.esm.size() + frame.dna.size();
}

}  // namespace virnucpro

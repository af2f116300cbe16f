#include "run/frame_stream.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "observe/trace.hpp"
#include "run/ordered_pipeline.hpp"
#include "sequence/chunker.hpp"
#include "sequence/frames.hpp"
#include "sequence/record.hpp"
#include "sequence/rna_judge.hpp"
#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace {

// The most letters in a piece of work, because chunks may be large.
constexpr std::uint64_t kLettersPerBlock = 1U << 20U;

// Consecutive chunks of one sequence.
struct Stretch {
  std::shared_ptr<const InputRecord> record;
  std::uint64_t first_chunk = 0;
  std::uint64_t last_chunk = 0;  // one past the last chunk
  Skip skip = Skip::kNone;
  bool known = false;
};

// A piece of work: stretches of one or more sequences, or the end of an input.
struct Work {
  std::vector<Stretch> stretches;
  std::optional<std::variant<InputEnd, InputFailure>> end;
};

// Cuts the inputs' records into pieces of work of limited size.
class WorkSource {
 public:
  WorkSource(InputSet& inputs, const FrameStreamSettings& settings, RunCounters& counters)
      : inputs_(inputs), settings_(settings), counters_(counters), sums_(settings.shard.count) {
    counters.input_bytes_total.add(inputs.total_bytes());
  }

  std::optional<Work> next() {
    Work work;
    std::uint64_t chunks = 0;
    std::uint64_t letters = 0;
    while (chunks < limits().chunks_per_block && letters < kLettersPerBlock) {
      if (!current_ && !open_record(work)) break;
      const std::uint64_t room = std::max<std::uint64_t>(
          std::min<std::uint64_t>(limits().chunks_per_block - chunks,
                                  (kLettersPerBlock - letters) / settings_.chunk_size),
          1);
      // A sequence that does not fit in the rest of this piece begins a new piece, so that where it
      // is cut does not depend on the sequences before it.
      if (chunks_ - next_chunk_ > room && !work.stretches.empty()) break;
      const std::uint64_t taken = std::min(room, chunks_ - next_chunk_);
      work.stretches.push_back({.record = current_,
                                .first_chunk = next_chunk_,
                                .last_chunk = next_chunk_ + taken,
                                .skip = skip_,
                                .known = is_known(current_->input)});
      if (next_chunk_ == 0) letters += current_->record.header.size();
      next_chunk_ += taken;
      chunks += std::max<std::uint64_t>(taken, 1);
      letters += letters_of(taken);
      if (next_chunk_ == chunks_) current_.reset();
    }
    if (work.stretches.empty() && !work.end) return std::nullopt;
    return work;
  }

 private:
  // Opens the next record. If there is none, returns false. If an input ends, puts its end into
  // `work` and returns false.
  bool open_record(Work& work) {
    std::optional<InputEvent> event = inputs_.next();
    while (event && std::holds_alternative<InputRecord>(*event) &&
           !is_mine(std::get<InputRecord>(*event))) {
      event = inputs_.next();
    }
    count_bytes(!event);
    if (!event) return false;
    if (auto* record = std::get_if<InputRecord>(&*event)) {
      begin(std::make_shared<const InputRecord>(std::move(*record)));
      return true;
    }
    // The input ends after the stretches in `work`.
    if (auto* end = std::get_if<InputEnd>(&*event)) {
      sums_.keep();
      work.end = std::move(*end);
    } else {
      sums_.drop();
      work.end = std::move(std::get<InputFailure>(*event));
    }
    return false;
  }

  // Assigns the next record to a shard. True if it is this run's shard.
  bool is_mine(const InputRecord& record) {
    if (!record.with_previous) owner_ = sums_.least();
    sums_.add(owner_, record.record.letters.size());
    return owner_ == settings_.shard.index;
  }

  // Counts the bytes read. When all bytes are counted, the progress display takes all records as
  // read. But bytes are read ahead of their records, so the last byte is counted after the last
  // record. A pipe's length is known only at its end.
  void count_bytes(bool at_end) {
    std::uint64_t taken = inputs_.bytes_read();
    const std::uint64_t total = inputs_.total_bytes();
    if (!at_end && total > 0) taken = std::min(taken, total - 1);
    counters_.input_bytes.add(taken - std::exchange(bytes_, taken));
    if (at_end && counters_.input_bytes_total.get() == 0) counters_.input_bytes_total.add(taken);
  }

  // True if the next part comes without frames.
  bool is_known(std::uint32_t input) {
    if (std::exchange(input_, input) != input) parts_ = 0;
    const auto known = settings_.known_parts.find(input);
    return parts_++ < (known == settings_.known_parts.end() ? 0 : known->second) ||
           !settings_.frames;
  }

  // Returns about how many letters `chunks` chunks have; all letters if the record is not cut.
  std::uint64_t letters_of(std::uint64_t chunks) const {
    if (settings_.source != FrameSource::kSequences || chunks == 0) {
      return current_->record.letters.size();
    }
    return chunks * std::min<std::uint64_t>(settings_.chunk_size, kLettersPerBlock);
  }

  void begin(std::shared_ptr<const InputRecord> record) {
    const std::uint64_t length = record->record.letters.size();
    skip_ = Skip::kNone;
    chunks_ = settings_.source == FrameSource::kSequences
                  ? ChunkPlan(length, settings_.chunk_size).count()
                  : 1;
    if (length == 0) {
      skip_ = Skip::kEmpty;
      chunks_ = 0;
    } else if (length < settings_.min_length) {
      skip_ = Skip::kTooShort;
      chunks_ = 0;
    }
    next_chunk_ = 0;
    current_ = std::move(record);
    counters_.sequences.add();
    counters_.bases.add(length);
    counters_.chunks.add(chunks_);
    if (chunks_ == 1) counters_.one_chunk_sequences.add();
  }

  InputSet& inputs_;
  const FrameStreamSettings& settings_;
  RunCounters& counters_;
  std::shared_ptr<const InputRecord> current_;
  std::uint64_t chunks_ = 0;
  std::uint64_t next_chunk_ = 0;
  ShardSums sums_;           // letters of each shard so far
  std::size_t owner_ = 0;    // the last record's shard
  std::uint32_t input_ = 0;  // the last part's input
  std::uint64_t parts_ = 0;  // parts of this input so far
  std::uint64_t bytes_ = 0;
  Skip skip_ = Skip::kNone;
};

// Removes the '*' that gene finders write for the stop codon, because it is not a residue.
std::string_view without_final_stop(std::string_view protein) {
  if (protein.ends_with('*')) protein.remove_suffix(1);
  return protein;
}

std::uint32_t letters_hash(std::string_view letters, const ChunkPlan& plan,
                           const Stretch& stretch) {
  if (stretch.first_chunk < stretch.last_chunk) {
    const std::uint64_t begin = plan.at(stretch.first_chunk).begin;
    letters = letters.substr(begin, plan.at(stretch.last_chunk - 1).end - begin);
  }
  return static_cast<std::uint32_t>(hash64(letters));
}

}  // namespace

struct FrameStream::State {
  State(InputSet& run_inputs, const FrameStreamSettings& stream_settings,
        const DnaTokenizer* dna_tokenizer, RunCounters& run_counters, const Cancel& run_cancel)
      : inputs(run_inputs),
        settings(stream_settings),
        tokenizer(dna_tokenizer),
        counters(run_counters),
        cancel(run_cancel),
        source(run_inputs, settings, run_counters),
        pipeline(
            settings.threads, limits().blocks_in_flight,
            [this] {
              const TimedScope timed(counters.host.read);
              const TraceSpan span("read");
              return source.next();
            },
            [this](Work work) { return run(std::move(work)); }, "frames") {}

  std::vector<FrameEvent> run(Work work) const {
    const TimedScope timed(counters.host.translate);
    const TraceSpan span("translate, tokenize");
    cancel.check();
    std::vector<FrameEvent> events;
    for (const Stretch& stretch : work.stretches) events.emplace_back(translate(stretch));
    if (work.end) {
      std::visit([&events](auto& end) { events.emplace_back(std::move(end)); }, *work.end);
    }
    return events;
  }

  FramePart translate(const Stretch& stretch) const {
    const InputRecord& input = *stretch.record;
    const std::string& letters = input.record.letters;
    const bool sequences = settings.source == FrameSource::kSequences;
    const ChunkPlan plan(letters.size(), sequences ? settings.chunk_size : letters.size() + 1);
    FramePart out;
    out.part = {.input = input.input,
                .id = input.id,
                .length = letters.size(),
                .chunks = stretch.skip == Skip::kNone ? plan.count() : 0,
                .letters_hash = letters_hash(letters, plan, stretch),
                .skip = stretch.skip,
                .with_previous = input.with_previous,
                .last = stretch.skip != Skip::kNone || stretch.last_chunk == plan.count(),
                .frames = {}};
    if (out.part.last) {
      look_at(letters, out);
      if (settings.keep_records) out.record = stretch.record;
    }
    out.known = stretch.known;
    const std::uint64_t chunks = stretch.last_chunk - stretch.first_chunk;
    if (out.known) {
      counters.chunks_known.add(chunks);
      return out;
    }
    if (!sequences) {
      add_whole(out, input);
      counters.chunks_framed.add(chunks);
      return out;
    }
    for (std::uint64_t chunk = stretch.first_chunk; chunk < stretch.last_chunk; ++chunk) {
      const auto [begin, end] = plan.at(chunk);
      add_chunk(out, chunk, std::string_view(letters).substr(begin, end - begin));
    }
    counters.frames.add(out.tokens.size());
    counters.chunks_framed.add(chunks);
    return out;
  }

  void look_at(std::string_view letters, FramePart& out) const {
    if (settings.source != FrameSource::kProteins) {
      out.unknown_letters = count_outside_iupac(letters);
      out.odd_letters = out.unknown_letters;
      out.is_rna = settings.look_for_rna && is_rna(letters);
      return;
    }
    out.had_final_stop = letters.ends_with('*');
    out.unknown_letters = count_without_token(upper_case(without_final_stop(letters)));
    out.odd_letters = static_cast<std::uint64_t>(std::ranges::count_if(letters, [](char letter) {
      return std::string_view("ACGTUNacgtun").find(letter) != std::string_view::npos;
    }));
  }

  void add_whole(FramePart& out, const InputRecord& input) const {
    const bool is_protein = settings.source == FrameSource::kProteins;
    const std::string_view given = input.record.letters;
    const std::string letters =
        upper_case(is_protein ? without_final_stop(given) : given, settings.translation);
    if (letters.empty()) {
      throw Error(ErrorKind::kInputMalformed,
                  Place{.file = inputs.name(input.input), .record = input.record.number},
                  "the sequence is empty: there is nothing to embed");
    }
    out.part.frames.emplace_back();
    FrameTokens& tokens = out.tokens.emplace_back();
    if (is_protein) {
      tokens.esm = esm_tokens(letters);
    } else {
      tokens.dna = dna_tokens(letters);
    }
    counters.frames.add();
  }

  void add_chunk(FramePart& out, std::uint64_t chunk, std::string_view letters) const {
    if (settings.keep_text) {
      append_fasta_60(out.chunk_fasta, chunk_id(out.part.id, chunk), letters);
    }
    std::vector<Frame> frames = stop_free_frames(letters, settings.translation);
    if (!frames.empty()) counters.chunks_with_frames.add();
    for (Frame& frame : frames) {
      out.part.frames.push_back({.chunk = chunk, .name = frame.name});
      out.tokens.push_back({esm_tokens(frame.protein), dna_tokens(frame.nucleotides)});
      if (!settings.keep_text) continue;
      const std::string id = frame_id(out.part.id, chunk, frame.name);
      append_fasta_line(out.nucleotide_fasta, id, frame.nucleotides);
      append_fasta_line(out.protein_fasta, id, frame.protein);
    }
  }

  std::vector<std::uint16_t> dna_tokens(std::string_view letters) const {
    if (tokenizer == nullptr) return {};
    return tokenizer->encode(letters);
  }

  std::optional<std::vector<FrameEvent>> wait_for_events() {
    const TraceSpan span("wait for frames");
    return pipeline.next();
  }

  const InputSet& inputs;  // used only for names; `source` reads the inputs
  const FrameStreamSettings settings;
  const DnaTokenizer* tokenizer;
  RunCounters& counters;
  const Cancel& cancel;
  WorkSource source;
  OrderedPipeline<Work, std::vector<FrameEvent>> pipeline;
  std::deque<FrameEvent> ready;
};

FrameStream::FrameStream(InputSet& inputs, const FrameStreamSettings& settings,
                         const DnaTokenizer* tokenizer, RunCounters& counters, const Cancel& cancel)
    : state_(std::make_unique<State>(inputs, settings, tokenizer, counters, cancel)) {}

FrameStream::~FrameStream() = default;

std::optional<FrameEvent> FrameStream::next() {
  while (state_->ready.empty()) {
    std::optional<std::vector<FrameEvent>> events = state_->wait_for_events();
    if (!events) return std::nullopt;
    for (FrameEvent& event : *events) state_->ready.push_back(std::move(event));
  }
  FrameEvent event = std::move(state_->ready.front());
  state_->ready.pop_front();
  return event;
}

}  // namespace virnucpro

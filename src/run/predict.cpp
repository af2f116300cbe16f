#include "run/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <optional>
#include <utility>

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "journal/journal_writer.hpp"
#include "journal/known_parts.hpp"
#include "journal/unit_log.hpp"
#include "observe/trace.hpp"
#include "run/batch_runner.hpp"
#include "run/frame_stream.hpp"
#include "run/input_check.hpp"
#include "run/intermediates.hpp"
#include "run/run_fingerprint.hpp"
#include "run/start_models.hpp"
#include "run/synthetic_mark.hpp"
#include "run/virus_fasta.hpp"
#include "tables/failed_inputs.hpp"

namespace virnucpro {
namespace {

// Ids may be long: so many bytes of them are read until the packer's window is emptied, and twice
// as many may wait for a frame.
constexpr std::uint64_t kIdBytesPerDrain = 64U << 20U;

// Threads that translate and tokenise: a core of them feeds many of inference.
std::size_t stream_threads(std::size_t threads) {
  return std::max<std::size_t>(threads / 4, 1);
}

InputEntry entry_of(const InputEnd& end, const std::string& name) {
  return {.name = name, .records = end.records, .bytes = end.bytes, .hash = end.hash};
}

InputEntry entry_of(const InputFailure& failure, const std::string& name) {
  const Place& place = failure.error.place();
  return {.name = name,
          .records = failure.records,
          .failed = true,
          .error = std::string(failure.error.info().name),
          .message = failure.error.what(),
          .record = place.record.value_or(0),
          .offset = place.offset.value_or(0)};
}

// One run over an open output directory, from the first record to the journal's last row.
class PredictRun {
 public:
  // The journal is new, or that of a run which was interrupted.
  PredictRun(const PredictSettings& settings, const RunModels& models, Journal journal,
             const OutputDirectory& directory, RunCounters& counters, const Cancel& cancel)
      : settings_(settings),
        directory_(directory),
        counters_(counters),
        cancel_(cancel),
        synthetic_(models.synthetic),
        tokenizer_(*models.tokenizer),
        journal_(std::move(journal)),
        known_(journal_),
        writer_(journal_, counters.host.journal),
        units_([this](Unit unit) { write(std::move(unit)); }, journal_.units(),
               [this] { counters_.sequences_scored.add(); }),
        runner_(*models.computer, settings.compute, counters,
                {.on_result = [this](auto number, const auto& result,
                                     auto index) { take(number, result, index); },
                 .on_failed = [this](auto number, const auto& reason) { give_up(number, reason); },
                 .name_of = [this](auto number) { return units_.id_of(number); }}) {
    if (settings.virus_fasta) {
      rereader_.emplace(settings.inputs, FrameStreamSettings{.shard = settings.shard},
                        directory.path());
    }
    if (!settings.keep_intermediate || journal_.finished()) return;
    const BatchComputer& computer = *models.computer;
    const EmbeddingWidths widths{.dnabert_s = computer.dnabert_s_width(),
                                 .esm2 = computer.esm2_width(),
                                 .merged = computer.dnabert_s_width() + computer.esm2_width()};
    intermediates_.emplace(directory.path(), settings.stem, settings.chunk_size, widths,
                           models.description);
  }

  // Reads and scores every input. What has its scores is in the journal, however it ends.
  void score() {
    try {
      read_inputs();
    } catch (...) {
      save();
      throw;
    }
  }

  // Writes everything that stands on the scores: the tables first, so that what may go wrong with
  // the rest does not cost them.
  RunSummary write() {
    const TimedScope timed(counters_.host.tables);
    const TraceSpan span("tables");
    RunSummary summary;
    summary.counts = write_tables(
        journal_,
        {.directory = directory_.path(), .stem = settings_.stem, .threshold = settings_.threshold},
        cancel_);
    if (rereader_) {
      rereader_->write(journal_, settings_.threshold, directory_.path() / "virus.fasta", cancel_);
    }
    if (intermediates_) intermediates_->commit();
    summary.inputs = journal_.inputs();
    summary.unknown_letters = unknown_letters_;
    summary.skipped = skipped_;
    summary.synthetic = synthetic_;
    return summary;
  }

  const Journal& journal() const { return journal_; }

 private:
  void read_inputs() {
    InputSet inputs(settings_.inputs, cancel_);
    const FrameStreamSettings stream_settings{
        .source = FrameSource::kSequences,
        .chunk_size = settings_.chunk_size,
        .min_length = settings_.min_length,
        .shard = settings_.shard,
        .keep_text = settings_.keep_intermediate,
        .keep_records = rereader_ && rereader_->needs_records(),
        .known_parts = journal_.parts(),
        .threads = stream_threads(settings_.compute.threads)};
    FrameStream stream(inputs, stream_settings, &tokenizer_, counters_, cancel_);
    while (std::optional<FrameEvent> event = stream.next()) {
      cancel_.check();  // what was read ahead is not submitted any more
      if (auto* part = std::get_if<FramePart>(&*event)) {
        add(std::move(*part));
      } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
        if (end->records == 0 && inputs.size() > 1) {
          log_warning("{}: it holds no sequence", inputs.name(end->input));
        }
        record(end->input, entry_of(*end, inputs.name(end->input)));
        skipped_.add(end->skipped);
        keep_input();
      } else {
        fail_input(std::get<InputFailure>(*event), inputs);
      }
    }
    runner_.flush();
    units_.finish();
    write_entries();
    known_.finish();
    writer_.flush();
    write_failed_inputs(entries_, directory_.path());
    if (good_inputs_ == 0 && first_failure_) throw all_failed(inputs);
    if (!journal_.finished()) journal_.finish();
  }

  // What went wrong first is told; what goes wrong here would only hide it.
  void save() noexcept {
    try {
      runner_.settle();
      units_.save();
      writer_.flush();
    } catch (const std::exception& error) {
      log_info("not all that was computed is in the journal: {}", error.what());
    }
  }

  void add(FramePart part) {
    unknown_in_input_ += part.unknown_letters;
    if (part.record) rereader_->add(*part.record);
    if (part.known) {
      if (part.part.last) counters_.sequences_known.add();
      return known_.check(part.part);
    }
    known_.check_new(part.part);
    std::vector<FrameTokens> tokens = std::move(part.tokens);
    std::uint64_t number = next_number_;
    if (intermediates_) intermediates_->add(part, number);
    next_number_ += tokens.size();
    gathered_ids_ += part.part.id.size();
    units_.add(std::move(part.part));
    ++parts_;
    for (FrameTokens& frame : tokens) runner_.add(std::move(frame), number++);
    if (tokens.empty()) runner_.collect_ready();
    // The journal keeps the input's order: behind a frame that waits in the packer's window,
    // sequences without frames, which never fill it, would gather without end.
    if (++gathered_parts_ >= limits().parts_per_drain || gathered_ids_ >= kIdBytesPerDrain) drain();
  }

  // Waits for what the drain before submitted alone, so that twice as much may have gathered: for
  // all of it, the workers would run dry.
  void drain() {
    runner_.wait_for(std::exchange(batches_at_drain_, runner_.empty_window()));
    gathered_parts_ = 0;
    gathered_ids_ = 0;
  }

  void take(std::uint64_t number, const BatchResult& result, std::size_t index) {
    if (intermediates_) {
      const std::size_t frames = result.scores.size() / 2;
      const std::size_t dna = result.dnabert_s.size() / frames;
      const std::size_t esm = result.esm2.size() / frames;
      intermediates_->write(number, std::span{result.dnabert_s}.subspan(index * dna, dna),
                            std::span{result.esm2}.subspan(index * esm, esm));
    }
    units_.set_score(number, result.scores[2 * index], result.scores[2 * index + 1]);
  }

  void give_up(std::uint64_t number, const std::string& reason) {
    log_warning("{} has no score: {}", units_.id_of(number), reason);
    units_.set_failed(number);
  }

  void keep_input() {
    ++good_inputs_;
    unknown_letters_ += std::exchange(unknown_in_input_, 0);
    if (rereader_) rereader_->keep();
    if (intermediates_) intermediates_->keep();
  }

  void fail_input(const InputFailure& failure, const InputSet& inputs) {
    // A run that ends with this very error says it then.
    if (inputs.size() > 1 && !settings_.strict_input) log_error("{}", failure.error.what());
    record(failure.input, entry_of(failure, inputs.name(failure.input)));
    // Nothing of it may be on its way when what it left is dropped; and where it ends the run, what
    // was read before it is kept.
    runner_.flush();
    if (settings_.strict_input) {
      units_.finish();
      write_failed_inputs(entries_, directory_.path());
      throw Error(failure.error);
    }
    if (!first_failure_) first_failure_ = failure.error;
    unknown_in_input_ = 0;
    if (rereader_) rereader_->drop();
    if (intermediates_) intermediates_->drop();
  }

  // With several inputs each one's error has been logged.
  Error all_failed(const InputSet& inputs) const {
    if (inputs.size() == 1) return *first_failure_;
    return {first_failure_->kind(),
            fmt::format("the first of {} inputs, none of which could be read", inputs.size())};
  }

  void record(std::uint32_t index, InputEntry entry) {
    known_.check(index, entry);
    entries_.push_back(entry);
    if (known_.has(index)) return;
    entries_to_write_.push_back({index, std::move(entry), parts_});
    write_entries();
  }

  void write(Unit unit) {
    written_parts_ += unit.parts.size();
    writer_.append(std::move(unit));
    write_entries();
  }

  // Behind all parts of its input: an entry in the journal says that none is missing.
  void write_entries() {
    while (!entries_to_write_.empty() && entries_to_write_.front().parts <= written_parts_) {
      EntryToWrite& first = entries_to_write_.front();
      writer_.record_input(first.index, std::move(first.entry));
      entries_to_write_.pop_front();
    }
  }

  struct EntryToWrite {
    std::uint32_t index = 0;
    InputEntry entry{};
    std::uint64_t parts = 0;  // of its input and those before
  };

  const PredictSettings& settings_;
  const OutputDirectory& directory_;
  RunCounters& counters_;
  const Cancel& cancel_;
  const bool synthetic_;
  const DnaTokenizer& tokenizer_;
  Journal journal_;
  KnownParts known_;
  JournalWriter writer_;
  UnitLog units_;
  std::optional<SequenceRereader> rereader_;
  std::optional<Intermediates> intermediates_;
  std::vector<InputEntry> entries_;
  std::deque<EntryToWrite> entries_to_write_;
  std::uint64_t parts_ = journal_.parts();  // that the journal has or will have
  std::uint64_t written_parts_ = parts_;    // that it has
  std::optional<Error> first_failure_;
  std::uint64_t good_inputs_ = 0;
  std::uint64_t unknown_letters_ = 0;
  std::uint64_t unknown_in_input_ = 0;
  SkippedAlignments skipped_;
  std::uint64_t next_number_ = 0;
  std::uint64_t gathered_parts_ = 0;  // since the packer's window was last emptied
  std::uint64_t gathered_ids_ = 0;    // bytes of their ids
  std::uint64_t batches_at_drain_ = 0;
  BatchRunner runner_;
};

void begin_output(const OutputDirectory& directory, const RunModels& models) {
  add_log_file(directory.log());
  for (const auto& [name, text] : models.description) log_info("{}: {}", name, text);
  mark_synthetic(directory.path(), models.description);
}

Journal make_journal(const PredictSettings& settings, const OutputDirectory& directory,
                     const Journal::Fingerprint& print) {
  if (settings.journal) return Journal::create(directory.journal(), print);
  return Journal::create_scratch(directory.scratch_journal(), print);
}

// The journal of the run to go on with; empty where the run starts from its beginning.
std::optional<Journal> open_journal(const PredictSettings& settings,
                                    const OutputDirectory& directory,
                                    const Journal::Fingerprint& print, const Cancel& cancel) {
  if (!std::filesystem::exists(directory.journal())) return std::nullopt;
  const auto check = settings.check_journal ? Journal::Check::kDeep : Journal::Check::kQuick;
  Journal journal = Journal::open(directory.journal(), check, cancel);
  require_same_run(journal.fingerprint(), print, directory.journal());
  const bool has_all = journal.finished() && Intermediates::are_in(directory.path());
  if (settings.keep_intermediate && !has_all) {
    log_warning("an interrupted run with --keep-intermediate keeps no embeddings: it starts over");
    return std::nullopt;
  }
  journal.describe(changed_entries(journal.fingerprint(), print));
  return journal;
}

// What a pipe gave before the refusal is gone.
bool may_start_over(const PredictSettings& settings, const Error& error) {
  const bool refused =
      error.kind() == ErrorKind::kJournalMismatch || error.kind() == ErrorKind::kJournalDamaged;
  return refused && settings.start_over && !has_pipe(settings.inputs);
}

RunSummary finish_run(PredictRun run, const PredictEvents& events) {
  run.score();
  events.on_phase(Phase::kTables);
  RunSummary summary = run.write();
  events.on_tables(run.journal(), summary);
  return summary;
}

RunSummary run_in(const PredictSettings& settings, const std::filesystem::path& path,
                  RunCounters& counters, const Cancel& cancel, const PredictEvents& events) {
  require_an_input(settings.inputs, cancel);
  const OutputDirectory directory(path, settings.stem, settings.existing);
  require_inputs_kept(settings.inputs,
                      [&directory](const auto& file) { return directory.would_clear(file); });
  const EngineOutputs outputs{
      .scores = true, .dnabert_s = settings.keep_intermediate, .esm2 = settings.keep_intermediate};
  const RunModels models = start_models(settings.models, settings.compute, outputs, cancel);
  counters.workers.add(models.computer->workers());
  const Journal::Fingerprint print = run_fingerprint(settings, models.description);
  RunStart start{.directory = directory.path(),
                 .description = models.description,
                 .kernel_path = models.computer->kernel_path(),
                 .token_budget = models.computer->token_budget(),
                 .synthetic = models.synthetic};
  if (settings.existing == Existing::kResume) {
    try {
      if (std::optional<Journal> journal = open_journal(settings, directory, print, cancel)) {
        directory.clear_leftovers();
        begin_output(directory, models);
        log_info("resumed: {} units are in the journal", journal->units());
        start.resumed = true;
        events.on_start(start);
        return finish_run({settings, models, *std::move(journal), directory, counters, cancel},
                          events);
      }
    } catch (const Error& error) {
      if (!may_start_over(settings, error)) throw;
      log_warning("{}; the run starts over", error.what());
      start.resumed = false;
      counters.reset();
    }
  }
  directory.clear();
  begin_output(directory, models);
  events.on_start(start);
  return finish_run(
      {settings, models, make_journal(settings, directory, print), directory, counters, cancel},
      events);
}

void send_file(const std::filesystem::path& path,
               const std::function<void(std::string_view)>& sink) {
  std::ifstream file(path, std::ios::binary);
  std::string part(1U << 20U, '\0');
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
    sink(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = path.string()}, "it cannot be read back");
  }
}

}  // namespace

RunSummary predict(const PredictSettings& settings, RunCounters& counters, const Cancel& cancel,
                   const std::function<void(std::string_view)>& stdout_sink,
                   const PredictEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  RunSummary summary;
  if (settings.to_stdout) {
    const TemporaryFolder scratch;
    summary = run_in(settings, scratch.path() / "run", counters, cancel, events);
    send_file(frame_table_path(scratch.path() / "run", settings.stem), stdout_sink);
  } else {
    summary = run_in(settings, settings.output, counters, cancel, events);
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace virnucpro

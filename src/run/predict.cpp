#include "run/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "journal/ledger.hpp"
#include "journal/run_files.hpp"
#include "observe/trace.hpp"
#include "run/batch_runner.hpp"
#include "run/calibration.hpp"
#include "run/call_files.hpp"
#include "run/close_calls.hpp"
#include "run/earlier_run.hpp"
#include "run/extra_files.hpp"
#include "run/fastq_record.hpp"
#include "run/frame_stream.hpp"
#include "run/id_growth.hpp"
#include "run/input_check.hpp"
#include "run/kind_check.hpp"
#include "run/model_advice.hpp"
#include "run/require_models.hpp"
#include "run/run_fingerprint.hpp"
#include "run/start_models.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

// The packer's window is emptied when the ids of waiting parts have this many bytes: see drain().
constexpr std::uint64_t kIdBytesPerDrain = 64U << 20U;

constexpr std::uint64_t kFirstLook = 500;

// Returns how many threads translate and tokenise: one keeps four computing threads supplied.
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

// The parts added since the packer's window was last emptied.
struct GatheredParts {
  std::uint64_t parts = 0;
  std::uint64_t id_bytes = 0;

  bool are_many() const {
    return parts >= limits().parts_per_drain || id_bytes >= kIdBytesPerDrain;
  }
};

// One run in an open output directory, from the first record to the journal's last row.
class PredictRun {
 public:
  // `journal` is new, or belongs to the run to resume.
  PredictRun(const PredictSettings& settings, const FastqPlan& fastq, const RunModels& models,
             Journal journal, const OutputDirectory& directory, RunCounters& counters,
             const Cancel& cancel)
      : settings_(settings),
        fastq_(fastq),
        directory_(directory),
        counters_(counters),
        cancel_(cancel),
        tokenizer_(*models.tokenizer),
        has_intermediates_(settings.keep_intermediate && journal.finished()),
        calls_stand_(journal.finished() && !settings.names_rule &&
                     rule_of(journal.fingerprint()) == settings.rule),
        ledger_(std::move(journal), settings.journal_interval, counters),
        files_(settings, models, directory, ledger_.journal().finished()),
        runner_(*models.computer, settings.compute, counters, handlers()) {
    summary_.synthetic = models.synthetic;
    if (settings.compute.check_precision) {
      close_calls_.emplace(CallMargin(settings.margin, settings.rule), settings.shadow, counters,
                           sinks());
    }
  }
  // The runner's handlers hold this object's address.
  PredictRun(const PredictRun&) = delete;
  PredictRun& operator=(const PredictRun&) = delete;

  // Reads and scores every input. If it throws, the journal has all scores so far.
  void score() {
    try {
      read_inputs();
    } catch (...) {
      save();
      throw;
    }
  }

  // Writes all files that depend on the scores: the tables first, in case another file fails.
  RunSummary write() {
    const TimedScope timed(counters_.host.tables);
    const TraceSpan span("tables");
    summary_.counts = write_tables(journal(),
                                   {.directory = directory_.files(),
                                    .stem = settings_.stem,
                                    .rule = settings_.rule,
                                    .more = settings_.more,
                                    .chunk_size = settings_.chunk_size,
                                    .inputs = input_names_of(journal())},
                                   cancel_);
    summary_.advice = model_advice(journal().fingerprint(), summary_.counts);
    files_.finish(
        journal(), fastq_,
        [this](const Journal::Fingerprint& entries) { ledger_.describe(entries); }, cancel_);
    summary_.viruses = settings_.viruses;
    summary_.inputs = journal().inputs();
    return summary_;
  }

  const Journal& journal() const { return ledger_.journal(); }

 private:
  BatchHandlers handlers() {
    BatchHandlers handlers{
        .on_result =
            [this](std::uint64_t number, const FrameResult& result) {
              files_.write(number, result);
              take(number, result.scores, result.esm2);
              ledger_.keep_early(number, result.scores);
            },
        .on_failed = [this](std::uint64_t number,
                            const std::string& reason) { fail(number, reason); },
        .name_of = [this](std::uint64_t number) { return ledger_.id_of(number); }};
    if (settings_.compute.check_precision) {
      handlers.on_recomputed = [this](std::uint64_t number, const FrameResult& result) {
        if (!close_calls_->is_shadow(number)) files_.write(number, result);
        close_calls_->score(number, result.scores, result.esm2);
      };
      handlers.on_not_finite = [this](std::uint64_t number) {
        constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
        close_calls_->score(number, {.others = kNaN, .virus = kNaN});
      };
    }
    return handlers;
  }

  CloseCalls::Sinks sinks() {
    return {.on_final = [this](std::uint64_t number,
                               const ScorePair& scores) { ledger_.set_score(number, scores); },
            .on_missing = [this](std::uint64_t number) { ledger_.give_up(number); },
            .recompute =
                [this](FrameTokens tokens, std::uint64_t number) {
                  runner_.recompute(std::move(tokens), number);
                }};
  }

  // Accepts a frame's scores, which were computed in the run's own precision.
  void take(std::uint64_t number, const ScorePair& scores, std::span<const float> embedding = {}) {
    if (close_calls_) return close_calls_->score(number, scores, embedding);
    ledger_.set_score(number, scores);
  }

  void fail(std::uint64_t number, const std::string& reason) {
    const bool keeps_its_first = close_calls_ && close_calls_->is_again(number);
    log_warning("frame {} {}: {}", ledger_.id_of(number),
                keeps_its_first ? "keeps its first scores, because it could not be computed again"
                                : "has no score",
                reason);
    if (close_calls_) return close_calls_->fail(number);
    ledger_.give_up(number);
  }

  void read_inputs() {
    InputSettings wanted = settings_.inputs;
    wanted.headers = files_.needs_records() ? Headers::kWhole : Headers::kIdAlone;
    InputSet inputs(std::move(wanted), cancel_);
    FrameStream stream(inputs, stream_settings(), &tokenizer_, counters_, cancel_);
    while (std::optional<FrameEvent> event = stream.next()) {
      cancel_.check();  // stop before parts that were read ahead are submitted
      require_few_changed_calls();
      if (auto* part = std::get_if<FramePart>(&*event)) {
        add(std::move(*part));
      } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
        keep_input(*end, inputs);
      } else {
        fail_input(std::get<InputFailure>(*event), inputs);
      }
    }
    runner_.flush();
    ledger_.end_inputs();
    write_failed_inputs(ledger_.inputs(), directory_.files());
    if (good_inputs_ == 0 && first_failure_) throw all_failed(inputs);
    if (!calls_stand_ || !journal().finished()) {
      remove_call_files(directory_.files(), {.writes_contigs = settings_.rule.is_viral_ngs()});
    }
    ledger_.finish();
  }

  // Tests only when the sample has doubled: among many tests, one would fail by chance.
  void require_few_changed_calls() {
    if (!settings_.most_changed_calls || counters_.shadow.sampled() < next_look_) return;
    const ShadowEstimate estimate = shadow_estimate(counters_.shadow, settings_.shadow);
    next_look_ = 2 * estimate.sampled;
    const double share = estimate.low / static_cast<double>(estimate.chunks);
    if (share <= *settings_.most_changed_calls) return;
    throw Error(
        ErrorKind::kRequirementMissed,
        fmt::format(
            "PREC-01: {0} calls were also made in {1}. By this sample, {1} would change at least "
            "a share of {2:.2g} of the calls that are not computed again; the limit is {3:g}",
            grouped(estimate.sampled), name_of(settings_.compute.check_precision.value()), share,
            *settings_.most_changed_calls))
        .advised(
            "All results so far are kept: predict --resume without --strict continues the run. For "
            "fewer changes, start over with a larger --margin or a finer --precision.");
  }

  FrameStreamSettings stream_settings() const {
    return {.source = FrameSource::kSequences,
            .chunk_size = settings_.chunk_size,
            .translation = settings_.translation,
            .min_length = settings_.min_length,
            .shard = settings_.shard,
            .keep_text = settings_.keep_intermediate,
            .keep_records = files_.needs_records(),
            .look_for_rna = settings_.inputs.refuse_rna,
            .known_parts = ledger_.known_parts(),
            .threads = stream_threads(settings_.compute.threads)};
  }

  // Throws no error, because that would hide the error that ended the run.
  void save() noexcept {
    try {
      runner_.settle();
      ledger_.save();
    } catch (const std::exception& error) {
      log_info("some computed scores are not in the journal: {}", error.what());
    }
  }

  void add(FramePart part) {
    unknown_in_input_ += part.unknown_letters;
    rna_in_input_ += part.is_rna ? 1 : 0;
    kind_.look(part);
    id_growth_.add(part.part);
    files_.add(part, ledger_.next_number());
    const std::uint32_t input = part.part.input;
    const std::size_t id_bytes = part.part.id.size();
    const bool is_last = part.part.last;
    const bool is_whole = !std::exchange(in_sequence_, !is_last) && is_last;
    const std::optional<std::uint64_t> first = ledger_.add(std::move(part.part));
    if (!first) {
      counters_.frames_scored.add(part.tokens.size());
      return;
    }
    if (has_intermediates_) throw embeddings_missing(input);
    std::uint64_t number = *first;
    if (close_calls_ && !part.tokens.empty()) {
      close_calls_->add(number, ledger_.part_of(number), part.tokens, is_whole);
    }
    for (FrameTokens& frame : part.tokens) compute(std::move(frame), number++);
    if (part.tokens.empty()) runner_.collect_ready();
    // The journal keeps input order, so parts wait for the frames before them. Sequences without
    // frames never fill the packer's window, and without this limit they would pile up while a
    // frame waits.
    ++gathered_.parts;
    gathered_.id_bytes += id_bytes;
    if (gathered_.are_many()) drain();
  }

  // Returns the error for a new input when the files of --keep-intermediate are already complete.
  Error embeddings_missing(std::uint32_t input) const {
    return Error(ErrorKind::kJournalMismatch, Place{.file = journal().path().string()},
                 fmt::format("input {} failed during the run and can be read now, but the files of "
                             "--keep-intermediate were completed without it",
                             input_names_of(journal())[input]))
        .advised(
            "To include the input, start over with --force-resume (--force if the input is a "
            "pipe).");
  }

  void compute(FrameTokens frame, std::uint64_t number) {
    // With --keep-intermediate every frame is computed, because the journal has no embeddings.
    // Otherwise a score of an earlier session is used: it depends on the frame's tokens alone.
    std::optional<ScorePair> known;
    if (!settings_.keep_intermediate) known = ledger_.known_score(number, frame);
    if (!known) return runner_.add(std::move(frame), number);
    take(number, *known);
    counters_.frames_scored.add();
    runner_.collect_ready();
  }

  // Empties the packer's window and waits for the batches of the previous drain. Waiting for the
  // newest batches would leave the workers without work. So up to 2 · parts_per_drain parts may
  // wait. Behind a chunk that is computed again, up to 4 · parts_per_drain may wait, and behind
  // such a contig up to 6 · parts_per_drain.
  void drain() {
    runner_.wait_for(std::exchange(batches_at_drain_, runner_.empty_window()));
    gathered_ = {};
  }

  void keep_input(const InputEnd& end, const InputSet& inputs) {
    const std::string name = inputs.name(end.input);
    if (end.records == 0 && inputs.size() > 1) log_warning("{}: it holds no sequence", name);
    ledger_.end_input(end.input, entry_of(end, name));
    summary_.skipped.add(end.skipped);
    summary_.unknown_letters += std::exchange(unknown_in_input_, 0);
    summary_.rna_sequences += std::exchange(rna_in_input_, 0);
    ++good_inputs_;
    files_.keep();
  }

  void fail_input(const InputFailure& failure, const InputSet& inputs) {
    in_sequence_ = false;
    if (ledger_.needs_more(failure.input)) throw needed(failure, inputs.name(failure.input));
    // If the error ends the run, it is reported at the end.
    if (inputs.size() > 1 && !settings_.strict_input) log_error("{}", failure.error.what());
    ledger_.end_input(failure.input, entry_of(failure, inputs.name(failure.input)));
    // Compute all waiting frames first, for two reasons. No frame of this input may still be in
    // computation when its rows are dropped below. With strict_input the run ends here, and the
    // journal then also keeps the scores of the waiting frames.
    runner_.flush();
    if (settings_.strict_input) {
      ledger_.save();
      write_failed_inputs(ledger_.inputs(), directory_.files());
      throw Error(failure.error);
    }
    if (!first_failure_) first_failure_ = failure.error;
    unknown_in_input_ = 0;
    rna_in_input_ = 0;
    files_.drop();
  }

  // Returns the error for an input that fails now, although the journal has its scores. The run
  // stops, because its tables would lack these scores, and the input may be readable next time.
  static Error needed(const InputFailure& failure, const std::string& name) {
    const Error& error = failure.error;
    return Error(error.is(ErrorClass::kDamage) ? ErrorKind::kJournalMismatch : error.kind(),
                 Place{.file = name},
                 fmt::format("the run has scores of this input, but reading it fails now: {}",
                             error.what()))
        .advised("Restore the input as it was, then run this again; the journal was not changed.");
  }

  // Returns the error if all inputs failed. If there are several inputs, the log has all errors.
  Error all_failed(const InputSet& inputs) const {
    if (inputs.size() == 1) return *first_failure_;
    const std::string& detail = first_failure_->detail();
    return first_failure_->placed(
        first_failure_->place(),
        fmt::format("{}{}the other inputs could not be read either: see the errors above", detail,
                    detail.empty() ? "" : "; "));
  }

  const PredictSettings& settings_;
  const FastqPlan& fastq_;
  const OutputDirectory& directory_;
  RunCounters& counters_;
  const Cancel& cancel_;
  const DnaTokenizer& tokenizer_;
  const bool has_intermediates_;  // the files of --keep-intermediate are complete
  const bool calls_stand_;        // keep a finished run's files of calls, unless a score is added
  Ledger ledger_;
  ExtraFiles files_;
  BatchRunner runner_;
  std::optional<CloseCalls> close_calls_;
  RunSummary summary_;
  std::optional<Error> first_failure_;
  bool in_sequence_ = false;  // more parts of the last sequence follow
  std::uint64_t good_inputs_ = 0;
  std::uint64_t unknown_in_input_ = 0;
  std::uint64_t rna_in_input_ = 0;
  KindCheck kind_{FrameSource::kSequences};
  IdGrowth id_growth_;
  GatheredParts gathered_;
  std::uint64_t batches_at_drain_ = 0;
  std::uint64_t next_look_ = kFirstLook;  // number of sampled chunks at the next shadow test
};

// Starts the models. If the calibration needs more layers than ESM-2 has, the error names its file.
RunModels start_calibrated(const PredictSettings& settings, const EngineOutputs& outputs,
                           const Cancel& cancel) {
  try {
    return start_models(settings.models, settings.compute, outputs, cancel);
  } catch (const Error& error) {
    if (!settings.calibration || error.kind() != ErrorKind::kUsage) throw;
    throw Error(ErrorKind::kCalibration, Place{.file = settings.calibration->file.string()},
                fmt::format("it was made for another ESM-2: {}", error.detail()));
  }
}

void begin_output(const OutputDirectory& directory, const RunModels& models,
                  const ComputeSettings& compute) {
  add_log_file(directory.files().place(run_files::kLog));
  for (const auto& [name, text] : models.description) log_info("{}: {}", name, text);
  for (const std::string& plan : budget_plans(compute, models.computer->facts_of_workers())) {
    log_info("{}", plan);
  }
  mark_synthetic(directory.files(), models.description);
}

Journal make_journal(const PredictSettings& settings, const OutputDirectory& directory,
                     const Journal::Fingerprint& print) {
  const FilePlace place = directory.files().place(run_files::kJournal);
  if (settings.journal) return Journal::create(place, print);
  return Journal::create_scratch({*place.folder, AtomicFile::partial_name(place.name())}, print);
}

// Returns the journal of the run to continue; empty if the run starts over.
std::optional<Journal> open_journal(const PredictSettings& settings,
                                    const OutputDirectory& directory,
                                    const Journal::Fingerprint& print, const Cancel& cancel) {
  if (!std::filesystem::exists(directory.journal())) return std::nullopt;
  const auto check = settings.check_journal ? Journal::Check::kDeep : Journal::Check::kQuick;
  Journal journal = Journal::open(directory.files().place(run_files::kJournal), check, cancel);
  // A journal without scores has nothing to resume, so the run starts over.
  if (!journal.finished() && !journal.has_scores()) return std::nullopt;
  require_same_run(journal.fingerprint(), print, directory.journal());
  const bool has_all = journal.finished() && Intermediates::are_in(directory.path());
  if (settings.keep_intermediate && !has_all) {
    log_warning(
        "{}: an interrupted run keeps no embeddings for --keep-intermediate: the run starts over",
        directory.journal().string());
    return std::nullopt;
  }
  journal.describe(changed_entries(journal.fingerprint(), print));
  return journal;
}

RunSummary score_and_write(PredictRun run, const PredictEvents& events) {
  run.score();
  events.on_phase(Phase::kTables);
  RunSummary summary = run.write();
  events.on_tables(run.journal(), summary);
  return summary;
}

// Removes a journal without scores, so that the corrected command needs no --resume or --force.
void forget_unscored(const OutputDirectory& directory) noexcept {
  try {
    {
      const Journal journal =
          Journal::open(directory.files().place(run_files::kJournal), Journal::Check::kQuick);
      if (journal.finished() || journal.has_scores()) return;
    }
    directory.files().remove(run_files::kJournal);
    directory.files().remove(run_files::kJournalWal);
  } catch (const std::exception& error) {
    log_info("the journal without scores could not be removed: {}", error.what());
  }
}

RunSummary begin_run(const PredictSettings& settings, const FastqPlan& fastq,
                     const RunModels& models, Journal journal, const OutputDirectory& directory,
                     RunCounters& counters, const Cancel& cancel, const PredictEvents& events) {
  try {
    return score_and_write(
        {settings, fastq, models, std::move(journal), directory, counters, cancel}, events);
  } catch (const Error& error) {
    const bool is_of_command =
        error.is(ErrorClass::kOneInput) || error.kind() == ErrorKind::kNoQualities;
    if (settings.journal && is_of_command) forget_unscored(directory);
    throw;
  }
}

// Plans the files of --virus-fastq. If this run replaces another run, the other run's files stay,
// except files that this run writes. If this run may start over, its calls count as changed.
FastqPlan plan_fastq(const PredictSettings& settings, const std::filesystem::path& path,
                     const Cancel& cancel) {
  const std::vector<FastqOutput>& asked = settings.viruses.fastq;
  const auto run = earlier_run(path, settings.existing, cancel);
  if (!run) return plan_fastq(path, {}, asked, false, cancel);
  const bool is_replaced = settings.existing == Existing::kReplace;
  FastqRecords known = fastq_records_of(run->journal());
  std::erase_if(known, [&](const FastqRecord& record) {
    if (!is_replaced || std::ranges::find(asked, record.prefix, absolute_prefix) != asked.end()) {
      return false;
    }
    for (const std::filesystem::path& file : files_of({record})) {
      log_warning("{}: not removed; it has the calls of the replaced run", file.string());
    }
    return true;
  });
  const bool may_start_over = settings.start_over || settings.keep_intermediate;
  const bool may_grow = std::ranges::any_of(run->journal().inputs(), &InputEntry::failed);
  const bool calls_change =
      may_start_over || may_grow || rule_of(run->fingerprint()) != settings.rule;
  return plan_fastq(path, std::move(known), asked, !is_replaced && calls_change, cancel);
}

RunSummary run_in(PredictSettings settings, const std::filesystem::path& path,
                  RunCounters& counters, const Cancel& cancel, const PredictEvents& events) {
  require_an_input(settings.inputs, cancel);
  const EngineOutputs outputs{.scores = true,
                              .dnabert_s = settings.keep_intermediate,
                              .esm2 = settings.keep_intermediate || settings.shadow > 0};
  require_models(settings.models, outputs);  // before a directory is made for the run
  const FastqPlan fastq = plan_fastq(settings, path, cancel);
  settings.viruses.fastq = fastq.outputs;
  settings.inputs.qualities = !fastq.outputs.empty();
  if (settings.inputs.qualities) require_first_qualities(settings.inputs, cancel);
  const OutputDirectory directory(path, settings.stem, settings.existing);
  require_inputs_kept(settings.inputs, directory);
  if (settings.existing == Existing::kReplace && !directory.files().own_files().empty()) {
    require_a_first_record(settings.inputs, cancel);
  }
  require_fastq_place(settings.viruses, settings.inputs);
  const RunModels models = start_calibrated(settings, outputs, cancel);
  if (settings.calibration) require_calibrated_for(*settings.calibration, models.description);
  counters.workers.add(models.computer->workers());
  Journal::Fingerprint print = run_fingerprint(settings, models.description);
  if (settings.rule.cut_offs()) require_made_for(*settings.rule.cut_offs(), print);
  print.merge(fastq.entries());
  const EngineFacts facts = models.computer->facts();
  RunStart start{.directory = directory.files(),
                 .description = models.description,
                 .kernel_path = facts.kernel_path,
                 .token_budget = facts.plan.tokens,
                 .workers = models.computer->facts_of_workers(),
                 .esm2_width = facts.esm2_width,
                 .synthetic = models.synthetic};
  if (settings.existing == Existing::kResume) {
    try {
      if (std::optional<Journal> journal = open_journal(settings, directory, print, cancel)) {
        directory.clear_leftovers();
        begin_output(directory, models, settings.compute);
        log_info("resumed: the journal has {} units of scores", journal->units());
        start.resumed = true;
        events.on_start(start);
        return score_and_write(
            {settings, fastq, models, *std::move(journal), directory, counters, cancel}, events);
      }
    } catch (const Error& error) {
      const bool may_read_again = !has_pipe(settings.inputs);
      if (!error.is(ErrorClass::kJournal) || !settings.start_over || !may_read_again) throw;
      log_warning("{}; the run starts over with the rule {}", error.what(), text_of(settings.rule));
      start.resumed = false;
      counters.reset();
    }
  }
  directory.clear();
  begin_output(directory, models, settings.compute);
  events.on_start(start);
  return begin_run(settings, fastq, models, make_journal(settings, directory, print), directory,
                   counters, cancel, events);
}

void send_file(const std::filesystem::path& path,
               const std::function<void(std::string_view)>& sink) {
  std::ifstream file(path, std::ios::binary);
  std::string part(1U << 20U, '\0');
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
    sink(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = path.string()},
                "the finished table cannot be read back");
  }
}

// Runs in a temporary folder and keeps no file. A full disk there is kTemporaryFolder.
RunSummary run_to_stdout(const PredictSettings& settings, RunCounters& counters,
                         const Cancel& cancel,
                         const std::function<void(std::string_view)>& stdout_sink,
                         const PredictEvents& events) {
  const TemporaryFolder scratch;
  const std::filesystem::path run = scratch.path() / "run";
  try {
    RunSummary summary = run_in(settings, run, counters, cancel, events);
    send_file(run_files::kFrameTable.in(run, settings.stem), stdout_sink);
    return summary;
  } catch (const Error& error) {
    const bool is_in_scratch = error.place().file.starts_with(scratch.path().string());
    if (error.kind() != ErrorKind::kOutputWrite || !is_in_scratch) throw;
    throw Error(ErrorKind::kTemporaryFolder, error.place(), error.detail());
  }
}

}  // namespace

RunSummary predict(const PredictSettings& settings, RunCounters& counters, const Cancel& cancel,
                   const std::function<void(std::string_view)>& stdout_sink,
                   const PredictEvents& events) {
  const StopWatch watch;
  RunSummary summary = settings.to_stdout
                           ? run_to_stdout(settings, counters, cancel, stdout_sink, events)
                           : run_in(settings, settings.output, counters, cancel, events);
  summary.seconds = watch.seconds();
  return summary;
}

}  // namespace virnucpro

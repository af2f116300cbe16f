#include "run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "run/call_files.hpp"
#include "run/earlier_run.hpp"
#include "run/fastq_record.hpp"
#include "run/input_check.hpp"
#include "run/run_fingerprint.hpp"
#include "run/shard.hpp"
#include "run/shard_check.hpp"
#include "run/spilled_parts.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

// The bytes that are read ahead, for all shards together.
constexpr std::size_t kReadAhead = 32U << 20U;

// Writes parts to a journal as units of the usual size.
class UnitWriter {
 public:
  explicit UnitWriter(Journal& journal) : journal_(journal) {}

  void add(SequencePart part) {
    size_.add(part);
    unit_.parts.push_back(std::move(part));
    if (size_.is_full()) flush();
  }
  void begin_input(std::uint32_t input) {
    flush();
    unit_ = {.input = input, .index = 0, .parts = {}};
  }
  void flush() {
    if (unit_.parts.empty()) return;
    journal_.append(unit_);
    unit_ = {.input = unit_.input, .index = unit_.index + 1, .parts = {}};
    size_ = {};
  }

 private:
  Journal& journal_;
  Unit unit_;
  UnitSize size_;
};

// Refuses an output that is a shard, because the merge would replace the shard's files.
void require_another_output(const MergeSettings& settings) {
  for (const std::filesystem::path& run : settings.runs) {
    std::error_code other;
    if (!std::filesystem::equivalent(run, settings.output, other)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--output {} is one of the shards; name another directory",
                            settings.output.string()));
  }
}

// Returns the files to keep: the inputs, and the shards' journals, which may lie in the output.
InputSettings inputs_of(const ShardRuns& shards) {
  InputSettings inputs = inputs_to_keep(shards.print);
  for (const auto& run : shards.runs) inputs.paths.push_back(run_files::kJournal.in(run).string());
  return inputs;
}

// Returns the tables to write: the requested tables, else those of the shards.
MoreTables tables_of(const ShardRuns& shards, const MergeSettings& settings) {
  const bool bed = std::ranges::any_of(
      shards.runs, [](const auto& run) { return has_own(RunFolder(run), run_files::kChunkBed); });
  return settings.tables.over({.natural_order = is_sorted_naturally(shards.print), .bed = bed});
}

Journal::Fingerprint print_of(const ShardRuns& shards, const MoreTables& more) {
  Journal::Fingerprint print = shards.print;
  forget_virus_files(print);
  print["shard"] = shard_text({});
  print[kMergedShardsKey] = fmt::format("{}", shards.runs.size());
  print[kMergedHashKey] = shards.content_hash;
  for (auto& [key, value] : rule_entries(shards.rule, more)) print[key] = value;
  return print;
}

// Copies the scores of all shards into `parts`. Each journal is opened, read and checked once.
void spill(const ShardRuns& shards, SpilledParts& parts, const Cancel& cancel) {
  BadShards bad(shards.runs.size());
  for (std::size_t k = 0; k < shards.runs.size(); ++k) {
    parts.begin_run();
    try {
      const KeptRun run(shards.runs[k], cancel, Journal::Check::kQuick);
      require_same(run, k, shards.identities[k]);
      PartReader reader(run.journal());
      while (const std::optional<SequencePart> part = reader.next()) {
        cancel.check();
        const bool is_kept =
            part->input < shards.inputs.size() && !shards.inputs[part->input].failed;
        if (is_kept) parts.add(*part);
      }
    } catch (const Error& error) {
      bad.add(k, error);
    }
  }
  bad.require_none();
  parts.finish();
}

[[noreturn]] void fail_shard(const ShardRuns& shards, std::size_t shard, const std::string& why) {
  BadShards bad(shards.runs.size());
  bad.add(shards.runs[shard], shard, why, BadShards::Help::kAnew);
  bad.require_none();
  throw Error(ErrorKind::kInternal, why);
}

// Joins the scores of all shards in input order.
class Joiner {
 public:
  Joiner(const ShardRuns& shards, const SpilledParts& parts, Journal& journal)
      : shards_(shards), sums_(shards.runs.size()), out_(journal) {
    const std::size_t bytes_at_once = kReadAhead / shards.runs.size();
    for (std::size_t k = 0; k < shards.runs.size(); ++k) {
      readers_.emplace_back(parts, k, bytes_at_once);
      next_.push_back(readers_.back().next());
    }
  }

  // Joins all inputs except failed inputs, whose scores are in no table.
  void join(const Cancel& cancel) {
    for (std::uint32_t k = 0; k < shards_.inputs.size(); ++k) {
      if (!shards_.inputs[k].failed) join_input(k, cancel);
    }
    out_.flush();
  }

  std::uint64_t failed_frames() const { return failed_frames_; }

 private:
  bool has_more(std::size_t shard, std::uint32_t input) const {
    return next_[shard] && next_[shard]->input == input;
  }

  // Copies each sequence of an input from the shard that ShardSums assigned it to.
  void join_input(std::uint32_t input, const Cancel& cancel) {
    out_.begin_input(input);
    std::size_t owner = 0;
    for (std::uint64_t record = 0; record < shards_.inputs[input].records; ++record) {
      cancel.check();
      const bool is_mate = record > 0 && has_more(owner, input) && next_[owner]->with_previous;
      if (!is_mate) owner = sums_.least();
      sums_.add(owner, move_sequence(owner, input));
    }
    for (std::size_t k = 0; k < next_.size(); ++k) {
      if (has_more(k, input))
        fail_shard(shards_, k, "its journal has more sequences than its part of the inputs");
    }
  }

  // Moves the shard's next sequence to the output and returns its length.
  std::uint64_t move_sequence(std::size_t shard, std::uint32_t input) {
    std::uint64_t length = 0;
    for (bool is_last = false; !is_last; next_[shard] = readers_[shard].next()) {
      if (!has_more(shard, input)) {
        fail_shard(shards_, shard, "its journal lacks sequences of its part of the inputs");
      }
      SequencePart& part = *next_[shard];
      is_last = part.last;
      length = part.length;
      failed_frames_ +=
          static_cast<std::uint64_t>(std::ranges::count(part.frames, true, &FrameScore::failed));
      out_.add(std::move(part));
    }
    if (length > kMaxLetters) {
      fail_shard(
          shards_, shard,
          fmt::format("one of its sequences has {} letters; the limit is {}", length, kMaxLetters));
    }
    return length;
  }

  const ShardRuns& shards_;
  ShardSums sums_;
  UnitWriter out_;
  std::vector<SpilledParts::Reader> readers_;
  std::vector<std::optional<SequencePart>> next_;
  std::uint64_t failed_frames_ = 0;
};

// Replaces the files in the directory by the journal of the whole run.
void write_journal(const ShardRuns& shards, const Journal::Fingerprint& print,
                   const OutputDirectory& directory, const Cancel& cancel) {
  SpilledParts parts(directory.files().directory());
  spill(shards, parts, cancel);
  directory.clear_leftovers();
  Journal journal = Journal::create_aside(directory.files().place(run_files::kJournal), print);
  Joiner joiner(shards, parts, journal);
  joiner.join(cancel);
  for (std::uint32_t k = 0; k < shards.inputs.size(); ++k) {
    journal.record_input(k, shards.inputs[k]);
  }
  journal.describe({{kMergedFailedFramesKey, fmt::format("{}", joiner.failed_frames())}});
  directory.clear_complete();
  journal.publish();
}

// Checks that an earlier merge of the same shards wrote this journal to its end. Errors:
// kJournalMismatch.
void require_merge_of(const Journal& journal, const Journal::Fingerprint& print) {
  const Journal::Fingerprint own = journal.fingerprint();
  const bool is_same = journal.finished() && differing_settings(own, print).empty() &&
                       entry_of(own, kMergedHashKey) == print.at(kMergedHashKey) &&
                       entry_of(own, kMergedShardsKey) == print.at(kMergedShardsKey);
  if (is_same) return;
  const bool is_merge = !entry_of(own, kMergedHashKey).empty();
  throw Error(ErrorKind::kJournalMismatch, Place{.file = journal.path().string()},
              is_merge ? "it was merged from other shards" : "no merge wrote it")
      .advised(is_merge ? "Give the shards that it was merged from, or name another --output; "
                          "--force-resume and --force replace it."
                        : "Name another --output; --force-resume and --force replace this run.");
}

// True if an earlier merge has written all requested files.
bool has_all(const OutputDirectory& directory, const Journal::Fingerprint& own,
             const Journal::Fingerprint& wanted, const MoreTables& more, const ShardRuns& shards) {
  const auto files = directory.files().own_files();
  const auto has = [&](const RunFile& file) {
    const std::filesystem::path path = file.in(directory.path(), directory.stem());
    return std::ranges::find(files, path, &RunFolder::OwnFile::path) != files.end();
  };
  const bool failed = std::ranges::any_of(shards.inputs, &InputEntry::failed);
  return rule_of(own) == rule_of(wanted) &&
         is_sorted_naturally(own) == is_sorted_naturally(wanted) && has(run_files::kFrameTable) &&
         has(run_files::kConsensusTable) && has(run_files::kSequenceTable) &&
         (!rule_of(wanted).is_viral_ngs() || has(run_files::kContigTable)) &&
         (!more.bed || has(run_files::kChunkBed)) && (!failed || has(run_files::kFailedInputs)) &&
         (!is_synthetic(own) || has(run_files::kSyntheticMark));
}

// The state in which an earlier merge left the directory.
enum class Earlier : std::uint8_t { kNothing, kJournal, kAll };

Earlier look_at_earlier(const MergeSettings& settings, const OutputDirectory& directory,
                        const ShardRuns& shards, const Journal::Fingerprint& print,
                        const MoreTables& more, const Cancel& cancel) {
  if (settings.existing != Existing::kResume || !is_there(directory.journal())) {
    return Earlier::kNothing;
  }
  const FilePlace place = directory.files().place(run_files::kJournal);
  try {
    {
      const Journal head = Journal::open(place, Journal::Check::kHead, cancel);
      require_merge_of(head, print);
      const bool has_rest = !settings.has_rest || settings.has_rest(directory.files(), shards.runs);
      if (has_rest && has_all(directory, head.fingerprint(), print, more, shards)) {
        return Earlier::kAll;
      }
    }
    (void)Journal::open(place, Journal::Check::kDeep, cancel);
    return Earlier::kJournal;
  } catch (const Error& error) {
    if (!error.is(ErrorClass::kJournal) || !settings.start_over) throw;
    log_warning("{}; the merge starts over", error.what());
    return Earlier::kNothing;
  }
}

bool is_partial_merge(const std::filesystem::path& output, const ShardRuns& shards,
                      const Cancel& cancel) {
  const KeptRun run(output, cancel, Journal::Check::kHead);
  const std::uint64_t failed = parse_count(run.value(kMergedFailedFramesKey)).value_or(0);
  return failed > 0 || std::ranges::any_of(shards.inputs, &InputEntry::failed);
}

ExportSummary write_files(const MergeSettings& settings, const MoreTables& more,
                          const ShardRuns& shards, const Cancel& cancel) {
  ExportSettings tables{.run = settings.output,
                        .output = {},
                        .rule = settings.rule,
                        .tables = {.natural_order = more.natural_order, .bed = more.bed},
                        .check = Journal::Check::kQuick};
  if (settings.on_tables) {
    tables.on_tables = [&](const Journal& journal, const ExportSummary& summary,
                           const RunFolder& directory) {
      settings.on_tables(journal, summary, directory, shards.runs);
    };
  }
  return export_run(tables, cancel);
}

// Returns the rule of the merge that --resume continues. The user may still change this rule.
std::optional<CallRule> earlier_rule(const MergeSettings& settings, const Cancel& cancel) {
  if (settings.existing != Existing::kResume) return std::nullopt;
  const auto merged = earlier_run(settings.output, settings.existing, cancel);
  return merged ? std::optional(rule_of(merged->fingerprint())) : std::nullopt;
}

}  // namespace

MergeSummary merge_runs(const MergeSettings& settings, const Cancel& cancel) {
  require_another_output(settings);
  const ShardRuns shards =
      find_shards(settings.runs, settings.rule, earlier_rule(settings, cancel), cancel);
  const MoreTables more = tables_of(shards, settings);
  const Journal::Fingerprint print = print_of(shards, more);
  if (settings.rule.cut_offs) require_made_for(*settings.rule.cut_offs, print);
  const std::string& stem = print.at("stem");
  MergeSummary summary{.tables = run_files::kTableFolder.in(settings.output, stem)};
  Earlier earlier = Earlier::kNothing;
  {
    const OutputDirectory directory(settings.output, stem, settings.existing);
    require_inputs_kept(inputs_of(shards), directory);
    earlier = look_at_earlier(settings, directory, shards, print, more, cancel);
    if (earlier == Earlier::kNothing) write_journal(shards, print, directory, cancel);
    if (earlier != Earlier::kNothing) directory.clear_leftovers();
  }
  if (earlier != Earlier::kAll) {
    summary.written = write_files(settings, more, shards, cancel);
  }
  summary.partial = is_partial_merge(settings.output, shards, cancel);
  return summary;
}

}  // namespace virnucpro

#include "run/merge.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "journal/journal.hpp"
#include "journal/kept_run.hpp"
#include "journal/known_parts.hpp"
#include "journal/run_files.hpp"
#include "run/call_files.hpp"
#include "run/output_directory.hpp"
#include "run/run_fingerprint.hpp"
#include "run/shard.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

[[noreturn]] void fail(const KeptRun& run, std::string why) {
  throw Error(ErrorKind::kJournalMismatch, Place{.file = run.directory().string()}, std::move(why));
}

// Writes parts to a journal as units of the usual size.
class UnitWriter {
 public:
  explicit UnitWriter(Journal& journal) : journal_(journal) {}

  void add(SequencePart part) {
    size_.add(part);
    unit_.parts.push_back(std::move(part));
    if (size_.is_full()) flush();
  }
  // Units of `input` follow.
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

// Merging would replace the shard.
void require_another_output(const MergeSettings& settings) {
  for (const std::filesystem::path& run : settings.runs) {
    std::error_code other;
    if (!std::filesystem::equivalent(run, settings.output, other)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--output {} is one of the shards; name another directory",
                            settings.output.string()));
  }
}

// All shards are open at once, each with its journal and, if its run was killed, its log.
void allow_open_files(std::size_t runs) {
  constexpr rlim_t kPerRun = 2;
  constexpr rlim_t kOthers = 64;
  const rlim_t needed = kPerRun * runs + kOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = needed;
  if (needed <= limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} runs need {} open files at once, and {} are allowed (ulimit -Hn)",
                          runs, needed, limit.rlim_max));
}

using Runs = std::vector<std::unique_ptr<KeptRun>>;  // by shard

// Opens every shard of one input; each must occur exactly once.
Runs open_shards(const std::vector<std::filesystem::path>& paths, const Cancel& cancel) {
  Runs runs(paths.size());
  for (const std::filesystem::path& path : paths) {
    for (const auto& other : runs) {
      std::error_code none;
      if (other && std::filesystem::equivalent(path, other->directory(), none)) {
        fail(*other, "it was given twice");
      }
    }
    auto run = std::make_unique<KeptRun>(path, cancel);
    const Shard shard = shard_of(run->fingerprint());
    if (shard.count != runs.size()) {
      fail(*run,
           fmt::format("it is one of {} shards, and {} runs were given", shard.count, runs.size()));
    }
    if (!run->journal().finished()) fail(*run, "it did not finish: resume it first");
    if (!is_dealt_as_now(run->fingerprint())) {
      fail(*run,
           "an earlier version dealt its sequences in another way: only that one can merge it");
    }
    std::unique_ptr<KeptRun>& place = runs[shard.index];
    if (place) fail(*run, fmt::format("{} is the same shard", place->directory().string()));
    place = std::move(run);
  }
  return runs;
}

void require_one_input(const Runs& runs) {
  const KeptRun& first = *runs.front();
  const std::vector<InputEntry> inputs = first.journal().inputs();
  for (const auto& run : runs) {
    Journal::Fingerprint print = run->fingerprint();
    print["shard"] = first.value("shard");
    require_same_run(first.fingerprint(), print, run->directory());
    const std::vector<InputEntry> others = run->journal().inputs();
    if (!std::equal(inputs.begin(), inputs.end(), others.begin(), others.end(), ended_alike)) {
      fail(*run, fmt::format("its inputs are not those of {}", first.directory().string()));
    }
  }
}

// What to write of the whole: what is asked for, else what the shards have. Where it is not asked
// for, all shards must have been called by one rule: no file could say which one it is of.
MoreTables tables_of(const Runs& runs, const MergeSettings& settings) {
  MoreTables more = settings.more;
  const Journal::Fingerprint& first = runs.front()->fingerprint();
  const bool has_rule = settings.rule.min_score && settings.rule.min_share;
  for (const auto& run : runs) {
    more.bed = more.bed || has_own(RunFolder(run->directory()), run_files::kChunkBed);
    if (!has_rule && rule_of(run->fingerprint()) != rule_of(first)) {
      fail(*run, fmt::format("its calls are by another rule than those of {}: give merge "
                             "--min-score and --min-share",
                             runs.front()->directory().string()));
    }
    if (!settings.more.rollup && rollup_of(run->fingerprint()) != rollup_of(first)) {
      fail(*run, fmt::format("its roll-up is by another rule than that of {}: give merge --rollup",
                             runs.front()->directory().string()));
    }
  }
  if (more.rollup) return more;
  more.rollup = rollup_of(first);
  more.natural_order = is_sorted_naturally(first);
  return more;
}

// Reads the sequences of an input from one shard.
class ShardReader {
 public:
  ShardReader(const KeptRun& run, std::uint32_t input)
      : run_(run), parts_(run.journal(), input), next_(parts_.next()) {}

  // Whether the next sequence is the mate of the one before it.
  bool has_mate() const { return next_ && next_->with_previous; }
  bool is_empty() const { return !next_; }

  // Moves the next sequence to the output; its length.
  std::uint64_t move(UnitWriter& out) {
    for (bool is_last = false; !is_last; next_ = parts_.next()) {
      if (!next_) fail(run_, "it has fewer sequences than its inputs");
      is_last = next_->last;
      length_ = next_->length;
      out.add(*std::move(next_));
    }
    if (length_ > kMaxLetters) fail(run_, "one of its sequences is longer than any can be");
    return length_;
  }

 private:
  const KeptRun& run_;
  PartReader parts_;
  std::optional<SequencePart> next_;
  std::uint64_t length_ = 0;
};

// Takes each sequence of an input from the shard that it was dealt to.
void interleave(const Runs& runs, std::uint32_t input, std::uint64_t records, ShardSums& sums,
                UnitWriter& out, const Cancel& cancel) {
  std::vector<ShardReader> shards;
  for (const auto& run : runs) shards.emplace_back(*run, input);
  out.begin_input(input);
  std::size_t owner = 0;
  for (std::uint64_t record = 0; record < records; ++record) {
    cancel.check();
    if (record == 0 || !shards[owner].has_mate()) owner = sums.least();
    sums.add(owner, shards[owner].move(out));
  }
  for (std::size_t k = 0; k < shards.size(); ++k) {
    if (!shards[k].is_empty()) fail(*runs[k], "it has more sequences than its inputs");
  }
}

// Joins the shards' scores of all inputs; those of a failed one are in no table.
void join_units(const Runs& runs, const std::vector<InputEntry>& inputs, UnitWriter& out,
                const Cancel& cancel) {
  ShardSums sums(runs.size());
  for (std::uint32_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].failed) interleave(runs, k, inputs[k].records, sums, out, cancel);
  }
  out.flush();
}

}  // namespace

ExportSummary merge_runs(const MergeSettings& settings, const Cancel& cancel) {
  require_another_output(settings);
  allow_open_files(settings.runs.size());
  const Runs runs = open_shards(settings.runs, cancel);
  require_one_input(runs);
  const MoreTables more = tables_of(runs, settings);
  Journal::Fingerprint print = runs.front()->fingerprint();
  print["shard"] = shard_text({});
  const std::string& stem = runs.front()->value("stem");
  {
    const OutputDirectory directory(settings.output, stem,
                                    settings.force ? Existing::kReplace : Existing::kRefuse);
    for (const auto& run : runs) {
      if (directory.would_clear(run_files::kJournal.in(run->directory()))) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("{} is an input, and the output would replace it",
                                run->directory().string()));
      }
    }
    directory.clear();
    Journal journal = Journal::create(directory.files().place(run_files::kJournal), print);
    const std::vector<InputEntry> inputs = runs.front()->journal().inputs();
    UnitWriter units(journal);
    join_units(runs, inputs, units, cancel);
    for (std::uint32_t k = 0; k < inputs.size(); ++k) journal.record_input(k, inputs[k]);
    journal.finish();
  }
  return export_run({.run = settings.output, .output = {}, .rule = settings.rule, .more = more},
                    cancel);
}

}  // namespace virnucpro

#include "run/shard_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/known_parts.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Limits of one message. If more directories have a fault, only their shards' numbers are named.
constexpr std::size_t kMostRuns = 5;
constexpr std::size_t kMostReasons = 20;
constexpr std::size_t kMostAdvice = 3;
// The most unfinished runs whose sequences are counted, because counting reads a whole journal.
constexpr std::size_t kMostCounted = 3;

// Returns numbers as text: "0, 3, 7-12".
std::string ranges_of(const std::set<std::uint64_t>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::uint64_t first = *at;
    std::uint64_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

std::set<std::uint64_t> joined(std::set<std::uint64_t> a, const std::set<std::uint64_t>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// A directory's facts from the head of its journal.
struct ShardLook {
  fs::path run;
  Shard shard{};
  std::string settings;  // this and the next three are hashes
  std::string inputs;
  std::string content;
  std::string identity;
  bool finished = false;
  std::string so_far{};  // progress of an unfinished run, if asked for
  CallRule rule{};
  bool fits = true;  // no fault was found so far
};

std::string inputs_hash(const std::vector<InputEntry>& inputs) {
  ContentHash hash;
  for (const InputEntry& input : inputs) hash.update(as_bytes(end_of(input)));
  return hash.hex();
}

// Returns an unfinished run's progress as text. Reads the whole journal.
std::string so_far_of(const fs::path& directory, const Cancel& cancel) {
  const KeptRun run(directory, cancel, Journal::Check::kQuick);
  std::uint64_t sequences = 0;
  run.journal().for_each_unit([&](const Unit& unit) {
    cancel.check();
    sequences += static_cast<std::uint64_t>(
        std::ranges::count_if(unit.parts, [](const SequencePart& part) { return part.last; }));
  });
  return fmt::format(": it has {} sequences so far, and {} of {} inputs are done",
                     grouped(sequences), run.journal().inputs().size(),
                     input_names_of(run.fingerprint()).size());
}

// Returns a directory's facts; if `counts`, with the progress of an unfinished run.
ShardLook look_at(const fs::path& directory, bool counts, const Cancel& cancel) {
  const KeptRun run(directory, cancel, Journal::Check::kHead);
  const auto shard = parse_shard(run.value("shard"));
  if (!shard) {
    throw Error(ErrorKind::kJournalDamaged, Place{.file = directory.string()},
                "its settings do not say which shard (I/N) the run is");
  }
  const bool finished = run.journal().finished();
  return {.run = directory,
          .shard = *shard,
          .settings = shared_settings(run.fingerprint()),
          .inputs = inputs_hash(run.journal().inputs()),
          .content = run.journal().content_hash(),
          .identity = run.identity(),
          .finished = finished,
          .so_far = counts && !finished ? so_far_of(directory, cancel) : "",
          .rule = rule_of(run.fingerprint())};
}

// The differences between the inputs of two shards' runs.
struct InputDifference {
  std::string other{};          // why the inputs are not the same
  std::string mine_failed{};    // an input that failed in this run only
  std::string theirs_failed{};  // an input that failed in the other run only
};

InputDifference difference_of(const std::vector<InputEntry>& mine, const fs::path& run,
                              const std::vector<InputEntry>& theirs) {
  InputDifference found;
  if (mine.size() != theirs.size()) {
    found.other =
        fmt::format("it read {} inputs, but {} read {}", mine.size(), run.string(), theirs.size());
    return found;
  }
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (ended_alike(mine[k], theirs[k])) continue;
    const bool is_one = mine[k].name == theirs[k].name && mine[k].failed != theirs[k].failed;
    if (!is_one) {
      found.other = fmt::format(
          "its input {} ({} sequences) differs from input {} of {} ({} sequences): all shards must "
          "read the same inputs",
          mine[k].name, grouped(mine[k].records), theirs[k].name, run.string(),
          grouped(theirs[k].records));
      return found;
    }
    (mine[k].failed ? found.mine_failed : found.theirs_failed) = mine[k].name;
  }
  return found;
}

// Returns the value that most fitting runs have; in a tie, the first of these values.
template <typename Range, typename Value>
std::string most_common(const Range& looks, const Value& value) {
  std::map<std::string, std::size_t> counts;
  std::string most;
  for (const ShardLook& look : looks) {
    if (look.fits) ++counts[value(look)];
  }
  for (const ShardLook& look : looks) {
    if (look.fits && (most.empty() || counts[value(look)] > counts[most])) most = value(look);
  }
  return most;
}

// Looks at all directories and finds those that do not belong together.
class ShardSearch {
 public:
  ShardSearch(const std::vector<fs::path>& directories, const Cancel& cancel) : cancel_(cancel) {
    std::map<std::pair<dev_t, ino_t>, fs::path> seen;
    std::size_t unfinished = 0;
    for (const fs::path& directory : directories) {
      cancel.check();
      struct stat status {};
      if (::stat(directory.c_str(), &status) == 0 &&
          !seen.emplace(std::pair(status.st_dev, status.st_ino), directory).second) {
        twice_.push_back(directory);
        continue;
      }
      try {
        looks_.push_back(look_at(directory, unfinished < kMostCounted, cancel));
        if (!looks_.back().finished) ++unfinished;
      } catch (const Error& error) {
        unreadable_.push_back(error);
      }
    }
  }

  ShardRuns find(const CallRuleChange& change, const std::optional<CallRule>& own) {
    const std::string settings =
        most_common(looks_, [](const auto& look) { return look.settings; });
    const ShardLook* const first = first_with(&ShardLook::settings, settings);
    BadShards bad(first == nullptr ? 0 : first->shard.count);
    for (const Error& error : unreadable_) bad.add(std::nullopt, error);
    for (const fs::path& directory : twice_) {
      bad.add(directory, std::nullopt, "it was given twice", BadShards::Help::kOther);
    }
    if (first != nullptr) sort_out(*first, change, own, bad);
    bad.require_none();
    return runs();
  }

 private:
  const ShardLook* first_with(std::string ShardLook::*member, const std::string& value) const {
    const auto found = std::ranges::find_if(
        looks_, [&](const ShardLook& look) { return look.fits && look.*member == value; });
    return found == looks_.end() ? nullptr : &*found;
  }

  void sort_out(const ShardLook& first, const CallRuleChange& change,
                const std::optional<CallRule>& own, BadShards& bad) {
    take_out_foreign(first, bad);
    // The directory of each shard. Shards whose faults are found below stay in this map.
    std::map<std::uint64_t, fs::path> places;
    for (ShardLook& look : looks_) {
      if (!look.fits) continue;
      const auto [place, is_new] = places.emplace(look.shard.index, look.run);
      if (is_new) continue;
      spoil(look, fmt::format("{} holds the same shard", place->second.string()),
            BadShards::Help::kOther, bad);
    }
    for (std::uint64_t k = 0; k < first.shard.count; ++k) {
      if (!places.contains(k)) bad.add_missing(k);
    }
    take_out_unfinished(bad);
    take_out_other_inputs(bad);
    take_out_other_rules(change, own, bad);
  }

  static void spoil(ShardLook& look, const std::string& why, BadShards::Help help, BadShards& bad) {
    look.fits = false;
    bad.add(look.run, look.shard.index, why, help);
  }

  void take_out_foreign(const ShardLook& first, BadShards& bad) {
    const fs::path run = first.run;
    const std::string settings = first.settings;
    const Journal::Fingerprint print = print_of(run);
    for (ShardLook& look : looks_) {
      if (look.settings == settings) continue;
      spoil(look, foreign_text(print, print_of(look.run), run), BadShards::Help::kOther, bad);
    }
    if (is_dealt_as_now(print)) return;
    for (ShardLook& look : looks_) {
      if (!look.fits) continue;
      spoil(look,
            "an earlier version divided its sequences among the shards in another way: only that "
            "version can merge it",
            BadShards::Help::kOther, bad);
    }
  }

  Journal::Fingerprint print_of(const fs::path& run) const {
    return KeptRun(run, cancel_, Journal::Check::kHead).fingerprint();
  }

  static std::string foreign_text(const Journal::Fingerprint& print,
                                  const Journal::Fingerprint& own, const fs::path& run) {
    const Shard shard = shard_of(own);
    const std::uint64_t count = shard_of(print).count;
    std::vector<std::string> texts;
    if (shard.count != count) {
      texts.push_back(
          fmt::format("the number of shards (is {} instead of {})", shard.count, count));
    }
    Journal::Fingerprint alike = own;
    alike["shard"] = print.at("shard");
    for (const SettingDifference& one : differing_settings(alike, print)) {
      texts.push_back(fmt::format("{} (is {} instead of {})", one.name, one.first, one.second));
    }
    return fmt::format("it belongs to another run than {}: {}", run.string(),
                       fmt::join(texts, "; "));
  }

  void take_out_unfinished(BadShards& bad) {
    const auto count = std::ranges::count_if(
        looks_, [](const ShardLook& look) { return look.fits && !look.finished; });
    const bool tells = count <= static_cast<std::ptrdiff_t>(kMostCounted);
    for (ShardLook& look : looks_) {
      if (!look.fits || look.finished) continue;
      spoil(look, fmt::format("it did not finish{}", tells ? look.so_far : ""),
            BadShards::Help::kResume, bad);
    }
  }

  // Takes out shards with other inputs. If a failed input was repaired and only some of the shards
  // were resumed, the resumed shards are right, even if they are few.
  void take_out_other_inputs(BadShards& bad) {
    const std::string inputs = most_common(looks_, [](const auto& look) { return look.inputs; });
    const ShardLook* const first = first_with(&ShardLook::inputs, inputs);
    if (first == nullptr) return;
    const fs::path run = first->run;
    const std::vector<InputEntry> theirs = inputs_in(run);
    std::string mended;  // why the majority must be resumed
    for (ShardLook& look : looks_) {
      if (!look.fits || look.inputs == inputs) continue;
      const InputDifference found = difference_of(inputs_in(look.run), run, theirs);
      if (!found.other.empty()) {
        spoil(look, found.other, BadShards::Help::kOther, bad);
      } else if (!found.mine_failed.empty()) {
        spoil(look, failed_text(found.mine_failed, run), BadShards::Help::kResume, bad);
      }
      if (found.other.empty() && !found.theirs_failed.empty()) {
        mended = failed_text(found.theirs_failed, look.run);
      }
    }
    if (mended.empty()) return;
    for (ShardLook& look : looks_) {
      if (look.fits && look.inputs == inputs) spoil(look, mended, BadShards::Help::kResume, bad);
    }
  }

  static std::string failed_text(const std::string& input, const fs::path& other) {
    return fmt::format("it could not process its input {}, but {} could do so", input,
                       other.string());
  }

  std::vector<InputEntry> inputs_in(const fs::path& directory) const {
    return KeptRun(directory, cancel_, Journal::Check::kHead).journal().inputs();
  }

  static std::string full_text(const CallRule& rule) {
    if (!rule.is_viral_ngs()) return text_of(rule);
    std::string text = text_of(rule);
    for (const RollupNumber& number : kRollupNumbers) {
      text += fmt::format(", {} {}", number.flag, rule.viral_ngs().*number.value);
    }
    return text + fmt::format(", --min-chunks {}", rule.viral_ngs().min_chunks);
  }

  // Refuses shards of different rules, because a table of the merged run can follow only one rule.
  void take_out_other_rules(const CallRuleChange& change, const std::optional<CallRule>& own,
                            BadShards& bad) {
    for (ShardLook& look : looks_) {
      if (look.fits) look.rule = change.over(own.value_or(look.rule));
    }
    const auto first = std::ranges::find(looks_, true, &ShardLook::fits);
    if (first == looks_.end()) return;
    const ShardLook kept = *first;
    for (ShardLook& look : looks_) {
      if (!look.fits || look.rule == kept.rule) continue;
      spoil(look,
            fmt::format("its calls are by another rule ({}) than those of {} ({}): give merge one "
                        "--rule for all shards, and one value for each option that differs",
                        full_text(look.rule), kept.run.string(), full_text(kept.rule)),
            BadShards::Help::kOther, bad);
    }
  }

  // Returns the shards' runs. Call it when every shard is there exactly once.
  ShardRuns runs() {
    std::ranges::sort(looks_, {}, [](const ShardLook& look) { return look.shard.index; });
    ShardRuns shards;
    ContentHash hash;
    for (const ShardLook& look : looks_) {
      shards.runs.push_back(look.run);
      shards.identities.push_back(look.identity);
      hash.update(as_bytes(look.content));
    }
    shards.content_hash = hash.hex();
    shards.rule = looks_.front().rule;
    const KeptRun first(shards.runs.front(), cancel_, Journal::Check::kHead);
    require_same(first, 0, looks_.front().identity);
    shards.print = first.fingerprint();
    shards.inputs = first.journal().inputs();
    return shards;
  }

  const Cancel& cancel_;
  std::vector<ShardLook> looks_;
  std::vector<fs::path> twice_;
  std::vector<Error> unreadable_;
};

}  // namespace

void require_same(const KeptRun& run, std::uint64_t shard, const std::string& identity) {
  if (run.identity() == identity) return;
  BadShards bad(1);
  bad.add(run.directory(), shard, "another run replaced it during the merge",
          BadShards::Help::kOther);
  bad.require_none();
}

void BadShards::add_missing(std::uint64_t index) {
  missing_.insert(index);
}

void BadShards::add(const fs::path& run, std::optional<std::uint64_t> index, const std::string& why,
                    Help help) {
  if (index && help == Help::kResume) to_resume_.insert(*index);
  if (index && help == Help::kAnew) to_begin_.insert(*index);
  has_others_ = has_others_ || help == Help::kOther;
  add_reason({.name = run.string(), .index = index}, why);
}

void BadShards::add_reason(Named run, const std::string& why) {
  const auto known =
      std::ranges::find_if(reasons_, [&](const auto& one) { return one.first == why; });
  if (known != reasons_.end()) {
    known->second.push_back(std::move(run));
  } else {
    reasons_.push_back({why, {std::move(run)}});
  }
}

void BadShards::add(std::optional<std::uint64_t> index, const Error& error) {
  const bool is_advised = !error.has_usual_remedy();
  switch (error.kind()) {
    case ErrorKind::kOutputBusy:
      add_advice(std::string(error.remedy()));
      break;
    case ErrorKind::kInputMissing:
      add_advice("Check the paths that were not found, and that you may read them.");
      break;
    case ErrorKind::kJournalDamaged:
      if (is_advised) add_advice(std::string(error.remedy()));
      if (!is_advised && index) to_begin_.insert(*index);
      has_damaged_ = has_damaged_ || (!is_advised && !index);
      break;
    default:
      throw Error(error);
  }
  const std::string_view summary = error.info().summary;
  add_reason({.name = error.place().file, .index = std::nullopt},
             error.detail().empty() ? std::string(summary)
                                    : fmt::format("{}: {}", summary, error.detail()));
}

void BadShards::add_advice(std::string advice) {
  if (std::ranges::find(advice_, advice) == advice_.end()) advice_.push_back(std::move(advice));
}

std::string BadShards::remedy() const {
  // A directory that cannot be read may hold a shard that seems to be missing.
  const bool may_be_there = !has_damaged_ && !advice_.empty();
  std::vector<std::string> steps;
  const auto run_again = [&](const char* which, const std::set<std::uint64_t>& shards,
                             const char* flag) {
    if (shards.empty()) return;
    steps.push_back(fmt::format(
        "{}run predict with the settings of the other shards and --shard I/{} {}, for I = {}",
        which, count_, flag, ranges_of(shards)));
  };
  const bool is_resumed = !has_damaged_ && !may_be_there;
  run_again("", is_resumed ? joined(missing_, to_resume_) : to_resume_, "--resume");
  run_again("", has_damaged_ ? joined(missing_, to_begin_) : to_begin_, "--force-resume");
  if (may_be_there) run_again("for shards that were never run, ", missing_, "--resume");
  if (has_others_) steps.emplace_back("give each shard of one run once, and no other directory");
  if (steps.empty() && advice_.empty()) steps.emplace_back("name the directories of all shards");
  steps.emplace_back("then merge again");
  std::string text = some_of(advice_, kMostAdvice, " ", " ");
  for (std::string& step : steps) {
    step.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(step.front())));
    text += fmt::format("{}{}.", text.empty() ? "" : " ", step);
  }
  return text;
}

// Returns the names of the runs, or only the shards' numbers if there are many.
std::string BadShards::names_of(const std::vector<Named>& runs) {
  std::vector<std::string> names;
  std::set<std::uint64_t> indexes;
  for (const Named& run : runs) {
    if (run.index) indexes.insert(*run.index);
    names.push_back(run.index ? fmt::format("{} (shard {})", run.name, *run.index) : run.name);
  }
  const bool are_known = indexes.size() == runs.size() && runs.size() > kMostRuns;
  return are_known ? fmt::format("shards {}", ranges_of(indexes))
                   : some_of(names, kMostRuns, ", ", ", ");
}

void BadShards::require_none() const {
  if (missing_.empty() && reasons_.empty()) return;
  std::vector<std::string> parts;
  if (!missing_.empty()) {
    parts.push_back(
        fmt::format("missing shards: {} ({} of {})", ranges_of(missing_), missing_.size(), count_));
  }
  for (const auto& [why, runs] : reasons_) {
    parts.push_back(fmt::format("{}: {}", names_of(runs), why));
  }
  throw Error(ErrorKind::kShards, some_of(parts, kMostReasons, "; ", "; ")).advised(remedy());
}

ShardRuns find_shards(const std::vector<fs::path>& directories, const CallRuleChange& change,
                      const std::optional<CallRule>& own, const Cancel& cancel) {
  return ShardSearch(directories, cancel).find(change, own);
}

}  // namespace virnucpro

#include "run/shard_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
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

// "0, 3, 7-12"
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

// What is known of a directory after a look at the beginning of its journal.
struct ShardLook {
  fs::path run;
  Shard shard{};
  std::string settings;  // hashes
  std::string inputs;
  std::string content;
  bool finished = false;
  CallRule rule{};
  std::optional<RollupRule> rollup{};
  bool fits = true;  // nothing is wrong with it so far
};

std::string inputs_hash(const std::vector<InputEntry>& inputs) {
  ByteWriter text;
  for (const InputEntry& input : inputs) {
    text.varint(input.records).varint(input.bytes).text(input.hash);
    text.varint(input.failed ? 1 : 0).text(input.error).varint(input.record).varint(input.offset);
  }
  ContentHash hash;
  hash.update(as_bytes(text.bytes()));
  return hash.hex();
}

ShardLook look_at(const fs::path& directory, const Cancel& cancel) {
  const KeptRun run(directory, cancel, Journal::Check::kHead);
  const auto shard = parse_shard(run.value("shard"));
  if (!shard) {
    throw Error(ErrorKind::kJournalDamaged, Place{.file = directory.string()},
                "its fingerprint names no shard");
  }
  return {.run = directory,
          .shard = *shard,
          .settings = shared_settings(run.fingerprint()),
          .inputs = inputs_hash(run.journal().inputs()),
          .content = run.journal().content_hash(),
          .finished = run.journal().finished(),
          .rule = rule_of(run.fingerprint()),
          .rollup = rollup_of(run.fingerprint())};
}

// Of a run that did not finish.
std::string how_far(const fs::path& directory, const Cancel& cancel) {
  const KeptRun run(directory, cancel, Journal::Check::kQuick);
  std::uint64_t sequences = 0;
  run.journal().for_each_unit([&](const Unit& unit) {
    cancel.check();
    sequences += static_cast<std::uint64_t>(
        std::ranges::count_if(unit.parts, [](const SequencePart& part) { return part.last; }));
  });
  return fmt::format("it did not finish: it has {} sequences so far, and {} of {} inputs are done",
                     grouped(sequences), run.journal().inputs().size(),
                     input_names_of(run.fingerprint()).size());
}

// The value that most of them have; of several, the first one's.
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

// Looks at all directories, and sorts out what does not belong together.
class ShardSearch {
 public:
  ShardSearch(const std::vector<fs::path>& directories, const Cancel& cancel) : cancel_(cancel) {
    std::map<std::pair<dev_t, ino_t>, fs::path> seen;
    for (const fs::path& directory : directories) {
      cancel.check();
      struct stat status {};
      if (::stat(directory.c_str(), &status) == 0 &&
          !seen.emplace(std::pair(status.st_dev, status.st_ino), directory).second) {
        twice_.push_back(directory);
        continue;
      }
      try {
        looks_.push_back(look_at(directory, cancel));
      } catch (const Error& error) {
        unreadable_.push_back(error);
      }
    }
  }

  ShardRuns find(const SharedRules& shared) {
    const std::string settings =
        most_common(looks_, [](const auto& look) { return look.settings; });
    const ShardLook* const first = first_with(&ShardLook::settings, settings);
    BadShards bad(first == nullptr ? 0 : first->shard.count);
    for (const Error& error : unreadable_) bad.add(std::nullopt, error);
    for (const fs::path& directory : twice_) {
      bad.add(directory, std::nullopt, "it was given twice", BadShards::Help::kOther);
    }
    if (first != nullptr) sort_out(*first, shared, bad);
    bad.require_none();
    return runs();
  }

 private:
  const ShardLook* first_with(std::string ShardLook::*member, const std::string& value) const {
    const auto found = std::ranges::find_if(
        looks_, [&](const ShardLook& look) { return look.fits && look.*member == value; });
    return found == looks_.end() ? nullptr : &*found;
  }

  void sort_out(const ShardLook& first, const SharedRules& shared, BadShards& bad) {
    take_out_foreign(first, bad);
    // Which shards are there, whatever else is wrong with them.
    std::map<std::uint64_t, fs::path> places;
    for (ShardLook& look : looks_) {
      if (!look.fits) continue;
      const auto [place, is_new] = places.emplace(look.shard.index, look.run);
      if (is_new) continue;
      spoil(look, fmt::format("{} is the same shard", place->second.string()),
            BadShards::Help::kOther, bad);
    }
    for (std::uint64_t k = 0; k < first.shard.count; ++k) {
      if (!places.contains(k)) bad.add_missing(k);
    }
    take_out_unfinished(bad);
    take_out_other_inputs(bad);
    take_out_other_rules(shared, bad);
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
            "an earlier version dealt its sequences in another way: only that one can merge it",
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
          fmt::format("it is one of {} shards, and there one of {}", shard.count, count));
    }
    Journal::Fingerprint alike = own;
    alike["shard"] = print.at("shard");
    for (const SettingDifference& one : differing_settings(alike, print)) {
      texts.push_back(fmt::format("{} (is {}, there {})", one.name, one.first, one.second));
    }
    return fmt::format("it is of another run than {}: {}", run.string(), fmt::join(texts, "; "));
  }

  void take_out_unfinished(BadShards& bad) {
    for (ShardLook& look : looks_) {
      if (!look.fits || look.finished) continue;
      try {
        spoil(look, how_far(look.run, cancel_), BadShards::Help::kResume, bad);
      } catch (const Error& error) {
        look.fits = false;
        bad.add(look.shard.index, error);
      }
    }
  }

  void take_out_other_inputs(BadShards& bad) {
    const std::string inputs = most_common(looks_, [](const auto& look) { return look.inputs; });
    const ShardLook* const first = first_with(&ShardLook::inputs, inputs);
    if (first == nullptr) return;
    const fs::path run = first->run;
    for (ShardLook& look : looks_) {
      if (!look.fits || look.inputs == inputs) continue;
      spoil(look, input_text(look.run, run), BadShards::Help::kOther, bad);
    }
  }

  std::string input_text(const fs::path& own, const fs::path& run) const {
    const auto inputs_in = [this](const fs::path& directory) {
      return KeptRun(directory, cancel_, Journal::Check::kHead).journal().inputs();
    };
    const std::vector<InputEntry> a = inputs_in(own);
    const std::vector<InputEntry> b = inputs_in(run);
    const auto [mine, theirs] = std::ranges::mismatch(a, b, ended_alike);
    if (mine == a.end() || theirs == b.end()) {
      return fmt::format("it read {} inputs, and {} read {}", a.size(), run.string(), b.size());
    }
    return fmt::format("its input {} is not that of {} ({} sequences, there {})", mine->name,
                       run.string(), grouped(mine->records), grouped(theirs->records));
  }

  // No file could say which rule it is of.
  void take_out_other_rules(const SharedRules& shared, BadShards& bad) {
    const auto first = std::ranges::find(looks_, true, &ShardLook::fits);
    if (first == looks_.end()) return;
    const ShardLook kept = *first;
    for (ShardLook& look : looks_) {
      if (!look.fits) continue;
      if (shared.calls && look.rule != kept.rule) {
        spoil(look,
              fmt::format("its calls are by another rule than those of {}: give merge --min-score "
                          "and --min-share",
                          kept.run.string()),
              BadShards::Help::kOther, bad);
      } else if (shared.rollup && look.rollup != kept.rollup) {
        spoil(look,
              fmt::format("its roll-up is by another rule than that of {}: give merge --rollup",
                          kept.run.string()),
              BadShards::Help::kOther, bad);
      }
    }
  }

  // All shards are there, once.
  ShardRuns runs() {
    std::ranges::sort(looks_, {}, [](const ShardLook& look) { return look.shard.index; });
    ShardRuns shards;
    ContentHash hash;
    for (const ShardLook& look : looks_) {
      shards.runs.push_back(look.run);
      hash.update(as_bytes(look.content));
    }
    shards.content_hash = hash.hex();
    const KeptRun first(shards.runs.front(), cancel_, Journal::Check::kHead);
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

void BadShards::add_missing(std::uint64_t index) {
  missing_.insert(index);
}

void BadShards::add(const fs::path& run, std::optional<std::uint64_t> index, const std::string& why,
                    Help help) {
  if (index && help == Help::kResume) to_resume_.insert(*index);
  if (index && help == Help::kAnew) to_begin_.insert(*index);
  has_others_ = has_others_ || help == Help::kOther;
  add_reason(index ? fmt::format("{} (shard {})", run.string(), *index) : run.string(), why);
}

void BadShards::add_reason(const std::string& name, const std::string& why) {
  const auto known =
      std::ranges::find_if(reasons_, [&](const auto& one) { return one.first == why; });
  if (known != reasons_.end()) {
    known->second.push_back(name);
  } else {
    reasons_.push_back({why, {name}});
  }
}

void BadShards::add(std::optional<std::uint64_t> index, const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kOutputBusy:
      has_busy_ = true;
      break;
    case ErrorKind::kJournalDamaged:
    case ErrorKind::kInputMissing:
      if (index) to_begin_.insert(*index);
      break;
    default:
      throw Error(error);
  }
  const std::string_view summary = error.info().summary;
  add_reason(error.place().file, error.detail().empty()
                                     ? std::string(summary)
                                     : fmt::format("{}: {}", summary, error.detail()));
}

std::string BadShards::remedy() const {
  std::vector<std::string> steps;
  const auto run_again = [&](const std::set<std::uint64_t>& shards, const char* flag) {
    if (shards.empty()) return;
    steps.push_back(
        fmt::format("run predict again, as the others were run, with --shard I/{} {}, for I = {}",
                    count_, flag, ranges_of(shards)));
  };
  run_again(joined(missing_, to_resume_), "--resume");
  run_again(to_begin_, "--force-resume");
  if (has_busy_) steps.emplace_back("wait for the runs that are on");
  if (has_others_) steps.emplace_back("give each shard of one run once, and no other");
  if (steps.empty()) steps.emplace_back("name the directories of all shards");
  std::string text = fmt::format("{}. Then merge again.", fmt::join(steps, "; "));
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

void BadShards::require_none() const {
  if (missing_.empty() && reasons_.empty()) return;
  std::string text;
  if (!missing_.empty()) {
    text = fmt::format("missing: {} of {} ({})", missing_.size(), count_, ranges_of(missing_));
  }
  for (const auto& [why, names] : reasons_) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", fmt::join(names, ", "), why);
  }
  Error error(ErrorKind::kShards, text);
  error.advise(remedy());
  throw Error(error);
}

ShardRuns find_shards(const std::vector<fs::path>& directories, const SharedRules& shared,
                      const Cancel& cancel) {
  return ShardSearch(directories, cancel).find(shared);
}

}  // namespace virnucpro

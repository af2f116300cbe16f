#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "run/shard.hpp"
#include "tables/call_rule.hpp"

namespace virnucpro {

class KeptRun;

// Collects the faults of a run's shards, so that one error can name all of them.
class BadShards {
 public:
  explicit BadShards(std::uint64_t count) : count_(count) {}

  // The remedy: give another shard, resume this shard, or start it over.
  enum class Help : std::uint8_t { kOther, kResume, kAnew };

  void add_missing(std::uint64_t index);
  void add(const std::filesystem::path& run, std::optional<std::uint64_t> index,
           const std::string& why, Help help);
  // Adds an unreadable shard, named by `error`. Rethrows an error that is not the shard's fault.
  void add(std::optional<std::uint64_t> index, const Error& error);

  // Throws kShards if any shard is bad or missing.
  void require_none() const;

 private:
  struct Named {
    std::string name;
    std::optional<std::uint64_t> index;
  };

  void add_reason(Named run, const std::string& why);
  void add_advice(std::string advice);
  static std::string names_of(const std::vector<Named>& runs);
  std::string remedy() const;

  std::uint64_t count_;
  std::set<std::uint64_t> missing_;
  std::set<std::uint64_t> to_resume_;
  std::set<std::uint64_t> to_begin_;
  bool has_others_ = false;
  bool has_damaged_ = false;         // a damaged run whose shard is not known
  std::vector<std::string> advice_;  // remedies of the errors, each once
  // Reasons with their shards: many shards may have the same reason.
  std::vector<std::pair<std::string, std::vector<Named>>> reasons_;
};

// The finished runs of all shards of one run.
struct ShardRuns {
  std::vector<std::filesystem::path> runs{};  // by shard
  std::vector<std::string> identities{};      // KeptRun::identity() of each run
  std::string content_hash{};                 // hash of all units and inputs
  Journal::Fingerprint print{};               // the first shard's fingerprint
  std::vector<InputEntry> inputs{};
  CallRule rule{};  // the rule of all shards, with the change
};

// Checks that the run is still the one that find_shards() saw. Errors: kShards.
void require_same(const KeptRun& run, std::uint64_t shard, const std::string& identity);

// Finds each shard's run among some directories, in any order. Opens one journal at a time and
// reads only its head (a few unfinished journals completely). If directories are of several runs,
// the run of the majority is taken, and the other directories are errors. If `own` is set, it
// replaces every shard's rule. Then `change` is applied, and the rules are compared. Errors:
// kShards, which names every shard that is missing, given twice, of another run, input or rule,
// unfinished or unreadable; those of Cancel.
ShardRuns find_shards(const std::vector<std::filesystem::path>& directories,
                      const CallRuleChange& change, const std::optional<CallRule>& own,
                      const Cancel& cancel);

}  // namespace virnucpro

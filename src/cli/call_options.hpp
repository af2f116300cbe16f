#pragma once

#include <array>
#include <string>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "tables/call_rule.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// --rule and its numbers as written on the command line; empty if not given.
struct CallOptions {
  std::string rule{};
  std::string rollup{};  // --rollup, the older name of --rule
  std::string min_score{};
  std::string min_share{};
  std::string min_tier{};
  std::string cutoff{};
  std::array<std::string, kRollupNumbers.size()> numbers{};  // numbers of the rule viral-ngs
  std::string min_chunks{};
};

struct TableOptions {
  std::string sort{};
  bool bed = false;
};

// Where values that are not given come from: a new run's defaults, or the runs that are read.
enum class CallDefault { kNewRun, kTheRuns };

void add_call_options(Command& command, CallOptions& options, CallDefault from);
void add_table_options(Command& command, TableOptions& options);

// Reads the options for tables. Errors: kUsage.
TableChange choose_table_change(const TableOptions& options);

// Returns a run's rule. A new run takes values from flags, then the configuration, then the
// defaults; a resumed run takes them from flags, then from its `own` rule. Errors: kUsage, kConfig.
CallRule choose_call_rule(const CallOptions& options, const Config& config,
                          const std::optional<CallRule>& own);

// Returns the changes that flags make to the rule of an existing run. Errors: kUsage.
CallRuleChange choose_call_change(const CallOptions& options);

}  // namespace virnucpro

#pragma once

#include <array>
#include <string>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "tables/call_rule.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// --rule with its numbers, as written; empty: not given.
struct CallOptions {
  std::string rule{};
  std::string rollup{};  // its older name
  std::string min_score{};
  std::string min_share{};
  std::string min_tier{};
  std::array<std::string, kRollupNumbers.size()> numbers{};  // of viral-ngs
  std::string min_chunks{};
};

struct TableOptions {
  std::string sort{};
  bool bed = false;
};

// The source of values that are not given: a new run's defaults, or the runs that are read.
enum class CallDefault { kNewRun, kTheRuns };

void add_call_options(Command& command, CallOptions& options, CallDefault from);
void add_table_options(Command& command, TableOptions& options);

// Errors: kUsage.
TableChange choose_table_change(const TableOptions& options);

// Returns a new run's rule from flags, then the configuration, then the default; a resumed run's
// from flags, then its `own` rule. Errors: kUsage, kConfig.
CallRule choose_call_rule(const CallOptions& options, const Config& config,
                          const std::optional<CallRule>& own);

// Returns the changes to a run that is read, from the flags alone. Errors: kUsage.
CallRuleChange choose_call_change(const CallOptions& options);

}  // namespace virnucpro

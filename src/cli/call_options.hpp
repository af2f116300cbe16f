#pragma once

#include <array>
#include <string>

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "tables/call_rule.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// --min-score and --min-share, as written; empty: not given.
struct CallOptions {
  std::string min_score{};
  std::string min_share{};
};

// --rollup with its numbers, and --bed.
struct TableOptions {
  std::string rollup{};
  std::array<std::string, kRollupNumbers.size()> numbers{};
  std::string min_chunks{};
  std::string sort{};
  bool bed = false;
};
// Where what is not given comes from: a new run's default, or the runs that are read.
enum class CallDefault { kNewRun, kTheRuns };

void add_table_options(Command& command, TableOptions& options, CallDefault from);
// Errors: kUsage, also for a number of a rule that is not asked for.
TableChange choose_table_change(const TableOptions& options);
// The same, with the default of each number.
MoreTables choose_more_tables(const TableOptions& options);

void add_call_options(Command& command, CallOptions& options, CallDefault from);

// Of a new run: flags, then the configuration, then the default. Errors: kUsage, kConfig.
CallRule choose_call_rule(const CallOptions& options, const Config& config);

// For a run that is read: the flags alone. Errors: kUsage.
CallRuleChange choose_call_change(const CallOptions& options);

}  // namespace virnucpro

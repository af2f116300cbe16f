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

// Where what is not given comes from: a new run's default, or the runs that are read.
enum class CallDefault { kNewRun, kTheRuns };

void add_call_options(Command& command, CallOptions& options, CallDefault from);
void add_table_options(Command& command, TableOptions& options);

// Errors: kUsage.
TableChange choose_table_change(const TableOptions& options);

// Of a new run: flags, then the configuration, then the default. Of one that is resumed: flags,
// then its `own` rule. Errors: kUsage, kConfig.
CallRule choose_call_rule(const CallOptions& options, const Config& config,
                          const std::optional<CallRule>& own);

// For a run that is read: the flags alone. Errors: kUsage.
CallRuleChange choose_call_change(const CallOptions& options);

}  // namespace virnucpro

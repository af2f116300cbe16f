#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/predict.hpp"

namespace virnucpro {

// What a line of summary_lines() begins with that warns.
inline constexpr std::string_view kWarningMark = "warning: ";

// The last words of predict: what was found, how fast, what to know about it, where the tables are.
std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary,
                                       const RunCounters& counters);

// What to say of alignments that were skipped, of which there are some.
std::string skipped_line(const SkippedAlignments& skipped);

}  // namespace virnucpro

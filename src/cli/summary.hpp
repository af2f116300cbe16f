#pragma once

#include <string>
#include <vector>

#include "run/predict.hpp"

namespace virnucpro {

// The last words of predict: what was found, how fast, what to know about it, where the tables are.
std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary);

}  // namespace virnucpro

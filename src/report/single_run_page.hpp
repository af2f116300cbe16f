#pragma once

#include "report/page.hpp"
#include "report/run_facts.hpp"

namespace virnucpro {

// What is said of one run.
Page single_run_page(const RunFacts& facts);

// Figures that a comparison takes as well. From the telemetry's summary where there is one, else
// from its lines; empty: not measured.
struct RunFigures {
  Value seconds;
  Value sequences_per_second;
  Value frames_per_second;
  Value esm_tokens_per_second;
  Value packing;
  Value average_wait;
};
RunFigures figures_of(const RunFacts& facts);

// ESM-2 tokens a second over the run's time; empty when not measured.
std::vector<PlotPoint> throughput_of(const RunFacts& facts);

}  // namespace virnucpro

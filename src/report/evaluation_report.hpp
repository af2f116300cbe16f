#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/page.hpp"
#include "report/provenance.hpp"
#include "run/evaluate.hpp"

namespace virnucpro {

// The conditions of an evaluation.
struct EvaluationFacts {
  Provenance provenance{};
  std::string labels{};                // the user's table of labels; empty: none
  std::string groups{};                // the user's table of groups; empty: none
  std::optional<double> false_rate{};  // limit of false calls; empty: no cut-offs are chosen
  std::string file{};                  // the file of cut-offs; empty: none
};

// Returns the page, whose first table has one row for each bin of scored chunks.
Page evaluation_page(const EvaluationFacts& facts, const Evaluation& found);
// Returns the first table as the command prints it, and what to do next.
std::string evaluation_text(const EvaluationFacts& facts, const Evaluation& found);
// Returns the JSON members that only people read in a file of cut-offs: the runs, the command etc.
Json evaluation_details(const EvaluationFacts& facts, const Evaluation& found);

}  // namespace virnucpro

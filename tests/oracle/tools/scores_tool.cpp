// Prints the figures of sets of labelled scores, for tests/oracle/test_cut_offs.py, a line of JSON
// for each set. A set is its size, then all scores, all labels (1: a virus) and all groups (-1:
// independent sequences), as doubles.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "run/labelled_scores.hpp"

namespace {

using virnucpro::CutOffFigures;
using virnucpro::LabelledScore;

std::string json_of(const std::optional<CutOffFigures>& figures) {
  if (!figures) return "null";
  return fmt::format(R"([{}, {}, {}, {}])", figures->cut_off, figures->found, figures->false_calls,
                     figures->bound);
}

std::string figures_of(const virnucpro::LabelledScores& scores,
                       const std::vector<double>& numbers) {
  std::string at;
  for (std::size_t k = 3; k < numbers.size(); ++k) {
    at += (at.empty() ? "" : ", ") + json_of(scores.at(numbers[k], numbers[1]));
  }
  const auto smallest = scores.smallest(numbers[0], numbers[1], numbers[2]);
  return fmt::format(R"({{"auc": {}, "precision": {}, "smallest": {}, "at": [{}]}})",
                     scores.roc_auc().value_or(-1), scores.average_precision().value_or(-1),
                     json_of(smallest), at);
}

std::vector<double> read_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  const auto size = static_cast<std::streamsize>(count * sizeof(double));
  std::cin.read(reinterpret_cast<char*>(numbers.data()), size);
  if (std::cin.gcount() != size) numbers.clear();
  return numbers;
}

virnucpro::LabelledScores read_set(std::size_t size) {
  const std::vector<double> values = read_numbers(size);
  const std::vector<double> labels = read_numbers(size);
  const std::vector<double> groups = read_numbers(size);
  std::vector<LabelledScore> scores;
  for (std::size_t k = 0; k < size; ++k) {
    scores.push_back({.score = values.at(k),
                      .is_virus = labels.at(k) == 1,
                      .group = static_cast<std::uint32_t>(std::max(groups.at(k), 0.0))});
  }
  return {std::move(scores), groups.at(0) >= 0};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: scores_tool RATE CONFIDENCE LEAST [CUT_OFF…] < sets\n";
    return 2;
  }
  std::vector<double> numbers;
  for (int k = 1; k < argc; ++k) numbers.push_back(virnucpro::parse_number(argv[k]).value());
  for (auto size = read_numbers(1); !size.empty(); size = read_numbers(1)) {
    fmt::print("{}\n", figures_of(read_set(static_cast<std::size_t>(size[0])), numbers));
  }
  return 0;
}

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "run/labelled_scores.hpp"
#include "tables/call_rule.hpp"
#include "tables/cut_offs.hpp"

namespace virnucpro {

struct EvaluateSettings {
  // Runs of sequences that are all viruses, and of sequences that are all something else …
  std::vector<std::filesystem::path> viruses{};
  std::vector<std::filesystem::path> others{};
  // … or runs with a table of their sequences' labels: "id<TAB>virus" or "id<TAB>others".
  std::vector<std::filesystem::path> runs{};
  std::filesystem::path labels{};
  // Empty, or a table of the others' groups: "id<TAB>group".
  std::filesystem::path groups{};
  CallRuleChange rule{};
  std::vector<ChunkBin> bins{};
  std::vector<double> cut_offs{};      // give the error rates at these; empty: at usual ones
  std::optional<double> false_rate{};  // choose cut-offs that keep this rate of false calls
};

// The sequences of one origin.
struct OriginCount {
  std::uint64_t sequences = 0;
  std::uint64_t unscored = 0;
};

struct BinEvaluation {
  ChunkBin bin{};
  LabelledScores scores;
  std::vector<CutOffFigures> given{};     // at the settings' cut-offs
  CutOffFigures none{};                   // with no sequence called virus: the least bound
  std::optional<CutOffFigures> chosen{};  // for false_rate; empty: no cut-off keeps it
};

struct EvaluatedRun {
  std::string path{};
  std::string identity{};  // KeptRun::identity()
  std::uint64_t sequences = 0;
};

struct Evaluation {
  CallRule rule{};
  // The settings and models that all runs share, by the names of differing_settings().
  std::map<std::string, std::string> made_for{};
  std::vector<EvaluatedRun> runs{};
  OriginCount viruses{};
  OriginCount others{};
  std::uint64_t failed_inputs = 0;
  std::uint64_t unlabelled = 0;  // sequences that the labels do not name; they count nowhere
  double confidence = 0;         // of each bin's bounds: together they hold with 95 %
  bool with_groups = false;
  std::string labels_hash{};  // of the table's rows; empty: no table
  std::string groups_hash{};
  bool synthetic = false;  // some models' weights are seeded random numbers
  std::vector<BinEvaluation> bins{};
};

inline constexpr double kAllConfidence = 0.95;  // of all bins' bounds together (Bonferroni)

// Compares the scores of sequences of known origin with their labels. Nothing is computed again.
// Errors: kUsage for runs of different models or settings, for an input that two runs read, and if
// one of the two origins is missing, or with false_rate a bin's others; kInputMalformed for the
// tables, naming file and line; those of KeptRun.
Evaluation evaluate(const EvaluateSettings& settings, const Cancel& cancel);

// Returns the chosen cut-offs, without the members of a file.
CutOffs cut_offs_of(const Evaluation& found, double false_rate);

}  // namespace virnucpro

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
  // Runs of viruses alone, and runs of others alone. Both are empty if `runs` is not.
  std::vector<std::filesystem::path> viruses{};
  std::vector<std::filesystem::path> others{};
  // Any runs, with a table of the sequences' labels: "id<TAB>virus" or "id<TAB>others".
  std::vector<std::filesystem::path> runs{};
  std::filesystem::path labels{};
  // A table of the others' groups ("id<TAB>group"), or empty.
  std::filesystem::path groups{};
  CallRuleChange rule{};
  std::vector<ChunkBin> bins{};
  std::vector<double> cut_offs{};      // report the errors at these; empty: at the usual cut-offs
  std::optional<double> false_rate{};  // choose cut-offs that keep this rate of false calls
};

// The numbers of sequences of one origin: viruses or others.
struct OriginCount {
  std::uint64_t sequences = 0;
  std::uint64_t unscored = 0;
};

struct BinEvaluation {
  ChunkBin bin{};
  LabelledScores scores;
  std::vector<CutOffFigures> given{};     // figures at the settings' cut-offs
  CutOffFigures none{};                   // figures if nothing is called virus (least bound)
  std::optional<CutOffFigures> chosen{};  // for false_rate; empty: no cut-off keeps the rate
};

struct EvaluatedRun {
  std::string path{};
  std::string identity{};  // KeptRun::identity()
  std::uint64_t sequences = 0;
};

struct Evaluation {
  CallRule rule{};
  // The settings and models that all runs share: settings_of_cut_offs().
  std::map<std::string, std::string> made_for{};
  std::vector<EvaluatedRun> runs{};
  OriginCount viruses{};
  OriginCount others{};
  std::uint64_t failed_inputs = 0;
  std::uint64_t unlabelled = 0;  // sequences that the labels do not name; they count nowhere
  double confidence = 0;         // of each bin's bounds; all bounds together hold with 95 %
  bool with_groups = false;
  std::string labels_hash{};  // hash of the rows of the labels' table; empty: no table
  std::string groups_hash{};
  bool synthetic = false;  // some models' weights are seeded random numbers
  std::vector<BinEvaluation> bins{};
};

inline constexpr double kAllConfidence = 0.95;  // of all bins' bounds together (Bonferroni)

// Compares the scores of sequences of known origin with their labels. Nothing is computed again.
// Errors: kUsage for runs of different models or settings, for an input that two runs read, for a
// missing origin, and with false_rate for a bin that has viruses but no others; kInputMalformed for
// the tables, naming file and line; those of KeptRun.
Evaluation evaluate(const EvaluateSettings& settings, const Cancel& cancel);

// Returns the chosen cut-offs. The members that describe a file (file, text, hash) stay empty.
CutOffs cut_offs_of(const Evaluation& found, double false_rate);

}  // namespace virnucpro

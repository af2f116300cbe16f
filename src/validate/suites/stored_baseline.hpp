#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json_values.hpp"
#include "report/page.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Results of the original that were kept: a folder or a table, as compare() reads them. A folder
// may have two more files: sequences.fa, which the results are of, and provenance.json, which says
// who made them, of which models, with which chunk size. tools/make_baseline.py makes such a
// folder. Those in share/virnucpro/baseline judge any machine without Python, the original or
// published weights: some are of synthetic models, computed in torch.
class StoredBaseline {
 public:
  // Errors: kJson for a damaged provenance.json.
  explicit StoredBaseline(std::filesystem::path place);

  const std::filesystem::path& place() const { return place_; }
  // True if it names these models, or other names of the same published ones, and this chunk size.
  bool is_of(const ModelSettings& models, std::uint64_t chunk_size) const;
  // Says why its results cannot be compared with a run's; empty if they can. Weights are compared
  // by hash if both sides have one: scores of other weights would be a false miss. `run`: its
  // telemetry.
  std::string why_other(const JsonValues& run) const;
  // Says which models have another name here and no hash in the baseline, so that nothing tells
  // whether they are the same; empty if there is none.
  std::string remark_on(const ModelSettings& models) const;
  // "vanilla-500 (zhihan1996/DNABERT-S, …; chunks of 500)"
  std::string text() const;
  // For a report.
  std::vector<Field> fields() const;

 private:
  std::string name() const;    // its folder's or file's
  std::string models() const;  // their names
  std::string hashes() const;  // of their weights
  std::filesystem::path place_;
  JsonValues provenance_;
};

// The sequences in a baseline's folder; empty if it has none of its own.
std::filesystem::path baseline_sequences(const std::filesystem::path& place);

struct BaselineChoice {
  std::filesystem::path place{};  // empty: no baseline fits
  std::string why_none{};         // names the baselines that exist
};

// Returns the first baseline of a folder, by name, that is_of() accepts. Errors: kJson.
BaselineChoice choose_baseline(const std::filesystem::path& folder, const ModelSettings& models,
                               std::uint64_t chunk_size);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/page.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Kept results of the original: a folder or a table that compare() can read. A folder may also hold
// the sequences, sequences.fa, and provenance.json, which says who made the results, with which
// models and chunk size. tools/make_baseline.py makes the folder. The baselines in
// share/virnucpro/baseline judge any machine without Python, the original or published weights:
// some are of synthetic models, computed in torch; a test computes the smallest of these again.
class StoredBaseline {
 public:
  // Errors: kJson for a damaged provenance.json.
  explicit StoredBaseline(std::filesystem::path place);

  const std::filesystem::path& place() const { return place_; }
  // True if the models (by these or other published names) and the chunk size are the baseline's.
  bool is_of(const ModelSettings& models, std::uint64_t chunk_size) const;
  // Says why its results cannot be compared with a run's; empty if they can. `run` is the run's
  // telemetry. Weights are compared by hash if both sides have a hash: scores of other weights
  // would be a false miss.
  std::string why_other(const JsonValues& run) const;
  // Names the models that have another name here and no hash in the baseline: they may be different
  // models. Empty if there are none.
  std::string remark_on(const ModelSettings& models) const;
  // Returns "vanilla-500 (zhihan1996/DNABERT-S, …; chunks of 500)".
  std::string text() const;
  // Returns the fields for a report.
  std::vector<Field> fields() const;

 private:
  std::string name() const;    // the name of its folder or file
  std::string models() const;  // the names of its models
  std::string hashes() const;  // the hashes of its models' weights
  std::filesystem::path place_;
  JsonValues provenance_;
};

// Returns the sequences in a baseline's folder; empty if it has none.
std::filesystem::path baseline_sequences(const std::filesystem::path& place);

struct BaselineChoice {
  std::filesystem::path place{};  // empty: no baseline fits
  std::string why_none{};         // names the baselines that exist
};

// Returns the first baseline of a folder, by name, that is_of() accepts. Errors: kJson.
BaselineChoice choose_baseline(const std::filesystem::path& folder, const ModelSettings& models,
                               std::uint64_t chunk_size);

}  // namespace virnucpro

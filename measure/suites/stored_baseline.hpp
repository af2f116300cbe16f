#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/page.hpp"
#include "run/settings.hpp"

namespace virnucpro {

// Stored results of the original: a folder or a table that compare() can read. A folder may also
// have the sequences, sequences.fa, and provenance.json, which says who made the results, with
// which models and chunk size. tools/make_baseline.py makes the folder. A comparison with the
// baselines in share/virnucpro/baseline needs neither Python nor the original. Baselines of
// synthetic models need no published weights. Torch computed them, and a test computes the smallest
// of them again.
class StoredBaseline {
 public:
  // Errors: kJson for a damaged provenance.json.
  explicit StoredBaseline(std::filesystem::path place);

  const std::filesystem::path& place() const { return place_; }
  // True if the baseline was made with this chunk size and these models; a published model may have
  // any of its names.
  bool is_of(const ModelSettings& models, std::uint64_t chunk_size) const;
  // Returns why the baseline's results cannot be compared with a run's; empty if they can. `run` is
  // the run's telemetry. If both the telemetry and the baseline name hashes of the weights, the
  // hashes must be equal, because other weights give other scores.
  std::string why_other(const JsonValues& run) const;
  // Names each model that has another name in `models` than in the baseline, and no hash in the
  // baseline: it may be a different model. Empty if there is no such model.
  std::string remark_on(const ModelSettings& models) const;
  // Returns a text such as "vanilla-500 (zhihan1996/DNABERT-S, …; chunks of 500)".
  std::string text() const;
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
  std::string why_none{};         // if none fits: names the baselines that exist
};

// Returns the first baseline in a folder, by name, for which is_of() is true. Errors: kJson.
BaselineChoice choose_baseline(const std::filesystem::path& folder, const ModelSettings& models,
                               std::uint64_t chunk_size);

}  // namespace virnucpro

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
// folder, and share/virnucpro/baseline has some.
class StoredBaseline {
 public:
  // Errors: kJson for a damaged provenance.json.
  explicit StoredBaseline(std::filesystem::path place);

  const std::filesystem::path& place() const { return place_; }
  // Whether it names these models, or other names of the same published ones, and this chunk size.
  bool is_of(const ModelSettings& models, std::uint64_t chunk_size) const;
  // Why its results are not those of a run's models and chunk size; empty if nothing speaks against
  // it. Weights are known by their hashes, where both sides have them. `run`: its telemetry.
  std::string why_other(const JsonValues& run) const;
  // Which models it names otherwise than these and has no hash of, so that nothing tells whether
  // they are the same; empty if there is none.
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
  std::string why_none{};         // names those that there are
};

// The first baseline in a folder of baselines, by name, that is_of() these. Errors: kJson.
BaselineChoice choose_baseline(const std::filesystem::path& folder, const ModelSettings& models,
                               std::uint64_t chunk_size);

}  // namespace virnucpro

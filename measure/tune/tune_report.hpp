#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/tune/tune.hpp"
#include "report/page.hpp"
#include "report/provenance.hpp"

namespace virnucpro {

struct TuneFacts {
  Provenance provenance{};
  std::string device{};     // "cuda:0,1"
  std::size_t workers = 1;  // number of workers, which share the batches
  std::string dnabert_s{};  // the models as the user named them
  std::string esm2{};
  std::string classifier{};
  bool synthetic = false;  // true if some models' weights are seeded random numbers
  std::uint64_t chunk_size = 0;
  std::string int8_keep{};      // text of an Int8Policy, for cells in int8
  std::string data{};           // "1,000 made-up sequences of 500 bases"
  std::string configuration{};  // the YAML file's path
};

struct TuneOutcome {
  TuneGrid grid{};
  std::vector<TuneRound> rounds{};
  std::vector<TuneResult> results{};  // in the order of the grid's cells
  TuneWinner winner{};

  const TuneResult& best() const { return results[winner.place]; }
};

std::vector<std::string> warnings_of(const TuneFacts& facts, const TuneOutcome& outcome);
// Returns a sentence that says why the winner won.
std::string winner_text(const TuneOutcome& outcome);

// Returns the winner as a configuration file, with a comment on the conditions of the tuning.
std::string tune_yaml(const TuneFacts& facts, const TuneOutcome& outcome);
// Returns all results for programs (docs/reference/files.md).
std::string tune_json(const TuneFacts& facts, const TuneOutcome& outcome);
// Returns a page with a heat map of threads and token budget for each combination of the other
// settings.
Page tune_page(const TuneFacts& facts, const TuneOutcome& outcome);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "run/journal.hpp"

namespace virnucpro {

struct TableSettings {
  std::filesystem::path directory;  // the run's output directory
  std::string stem;                 // tables go to <directory>/<stem>_merged/
  double threshold = 0.5;           // of virus chunks over scored chunks
};

// What the tables say, in numbers.
struct TableCounts {
  std::uint64_t sequences = 0;
  std::uint64_t virus_sequences = 0;
  std::uint64_t unscored_sequences = 0;
  std::uint64_t chunks_scored = 0;
  std::uint64_t frames = 0;
  std::uint64_t failed_frames = 0;
  std::uint64_t duplicate_ids = 0;  // sequences whose id an earlier one had
};

// Writes prediction_results.txt, prediction_results_highestscore.csv and sequences.tsv from the
// journal, leaving out failed inputs. Each appears complete or not at all. Memory does not grow
// with the run: the consensus table is sorted on disk, in the output directory.
TableCounts write_tables(const Journal& journal, const TableSettings& settings);

}  // namespace virnucpro

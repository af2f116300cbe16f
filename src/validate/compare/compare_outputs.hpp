#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "validate/compare/dataset_comparison.hpp"

namespace virnucpro {

struct CompareSettings {
  std::filesystem::path a;
  std::filesystem::path b;
  Tolerance tolerance{};
  std::size_t named = 10;  // rows of each kind that are named
};

// What two runs, tables or files of embeddings have in common, and what not.
struct Comparison {
  std::filesystem::path a{};
  std::filesystem::path b{};
  std::string kind{};  // "directory", "table" or "embeddings"
  Tolerance tolerance{};
  std::vector<DatasetComparison> datasets{};  // one at least
  std::vector<std::string> remarks{};         // what is in one of them alone, or left alone

  // Every dataset is; of directories, where nothing but equal bytes will do, nothing was left out.
  bool equal() const;
};

// Compares what A and B both hold:
// - two output directories, of predict, merge, the original or v2: prediction_results.txt and
//   prediction_results_highestscore.csv, there or in the one folder <stem>_merged, sequences.tsv,
//   and embeddings: embeddings.h5, or where there is none the original's .pt files
//   (validate/compare/embedding_parts.hpp), dataset by dataset;
// - two tables of one kind (validate/compare/score_table.hpp);
// - two files of embeddings (validate/compare/embedding_reader.hpp), HDF5 or .pt, dataset by
// dataset. Rows are matched by id (validate/compare/row_match.hpp, which says what memory it
// takes). Columns that one of two tables lacks are told, and not compared. Errors: kNotComparable
// for what cannot be read, naming file, row and byte where they are known, for two of different
// kinds, and where there is no row in common; kTemporaryFolder, kOutputWrite, Cancel's.
Comparison compare(const CompareSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

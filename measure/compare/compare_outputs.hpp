#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/compare/dataset_comparison.hpp"

namespace virnucpro {

struct CompareSettings {
  std::filesystem::path a;
  std::filesystem::path b;
  Tolerance tolerance{};
  std::size_t named = 10;     // most rows to name, in each list of the report
  bool by_precision = false;  // true: use the tolerance of the two runs' precisions
};

// The result of comparing two runs, tables or files of embeddings.
struct Comparison {
  std::filesystem::path a{};
  std::filesystem::path b{};
  std::string kind{};  // "directory", "table" or "embeddings"
  Tolerance tolerance{};
  std::vector<DatasetComparison> datasets{};  // at least one
  std::vector<std::string> remarks{};  // data that only A or only B has, or that were not compared

  // True if all datasets are equal. With `exact`, directories must also have no remarks.
  bool equal() const;
};

// Compares the data that A and B have in common. A and B are:
// - two output directories, of predict, merge, the original or v2. It compares sequences.tsv,
//   prediction_results.txt and prediction_results_highestscore.csv (in the directory or in its only
//   folder <stem>_merged), and embeddings by dataset: from embeddings.h5 or, if it is missing, from
//   the original's .pt files (measure/compare/embedding_parts.hpp);
// - two tables of one kind (measure/compare/score_table.hpp);
// - two files of embeddings (measure/compare/embedding_reader.hpp), HDF5 or .pt, by dataset.
// Rows are matched by id (measure/compare/row_match.hpp, which states the memory it needs).
// Columns that only one table has are reported, not compared. Errors: kNotComparable for unreadable
// contents (naming file, and row and byte where known), for different kinds, and for no common row;
// kTemporaryFolder; kOutputWrite; those of Cancel.
Comparison compare(const CompareSettings& settings, const Cancel& cancel);

}  // namespace virnucpro

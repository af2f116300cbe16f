#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

// A row of a table or of embeddings, with the parts that matching needs.
struct IdRow {
  std::string id{};
  std::uint64_t number = 0;  // from 1, in the order of the file
  std::string content{};     // the rest of the row, without the id
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::optional<IdRow> next() = 0;
};

// Functions that are called once for each row; `both` gets its rows in the order of A.
struct RowVisitor {
  std::function<void(const IdRow& a, const IdRow& b)> both;
  std::function<void(const IdRow& row)> only_a;
  std::function<void(const IdRow& row)> only_b;
};

struct RowCounts {
  std::uint64_t in_a = 0;
  std::uint64_t in_b = 0;
  std::uint64_t in_both = 0;
  bool same_order = true;  // true if both files have their common rows in the same order
};

// Matches rows by id, and rows with equal ids by their order. While both files have the same ids in
// the same order, no row is kept. After the first difference, the rest of both files is sorted
// twice in the temporary folder. Memory: 6 MiB and the rows of one id, for files of any size. Disk:
// about three times the rest of the files. Errors: those of the sources; kTemporaryFolder;
// kOutputWrite; those of Cancel.
RowCounts match_rows(RowSource& a, RowSource& b, const RowVisitor& visitor, const Cancel& cancel);

}  // namespace virnucpro

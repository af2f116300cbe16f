#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

// A row of a table or of embeddings, as far as matching has to know it.
struct IdRow {
  std::string id{};
  std::uint64_t number = 0;  // from 1, in the order of its file
  std::string content{};     // whatever belongs to it
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::optional<IdRow> next() = 0;
};

// Who is told of each row once. Rows that both have come in A's order.
struct RowVisitor {
  std::function<void(const IdRow& a, const IdRow& b)> both;
  std::function<void(const IdRow& row)> only_a;
  std::function<void(const IdRow& row)> only_b;
};

struct RowCounts {
  std::uint64_t in_a = 0;
  std::uint64_t in_b = 0;
  std::uint64_t in_both = 0;
  bool same_order = true;  // of the rows that both have
};

// Matches rows by id, those of one id in the order in which they come. As long as both files have
// the same ids in the same order nothing is kept; from the first that differs on, the rest of both
// is sorted in the temporary folder, twice: 6 MiB of memory, whatever the files hold, and the rows
// of one id; on disk some three times what is left of the files.
// Errors: those of the sources, kTemporaryFolder, kOutputWrite, Cancel's.
RowCounts match_rows(RowSource& a, RowSource& b, const RowVisitor& visitor, const Cancel& cancel);

}  // namespace virnucpro

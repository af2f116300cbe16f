#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/compare/row_match.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

// A label may change between precisions if its two scores differ by at most this.
inline constexpr double kNearBoundary = 0.1;

// Two numbers are within tolerance if |a - b| <= absolute + relative * |b|, as in numpy.isclose.
// The bounds, also those of precisions, are from semantics.md, section 7.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
  bool exact = false;  // true: only equal bytes, or equal bits, count as equal
  // Only the tolerance of a named precision sets these members.
  double usual = 0;           // 99 % of a table's numbers may differ by at most this; 0: no limit
  double embedding = 0;       // replaces `absolute` for the numbers of embeddings
  double equal_labels = 100;  // least percentage; only the suite `equivalence` uses it
  std::string_view precision = {};

  Tolerance of_embeddings() const {
    if (precision.empty()) return *this;
    return {.relative = 0, .absolute = embedding, .precision = precision};
  }
};
// Returns the tolerance for runs of two precisions: that of the coarser precision, or the default
// for fp32 and unknown names. A precision's rounding errors then do not count as differences.
Tolerance tolerance_of(std::string_view a, std::string_view b);

bool is_within(double a, double b, const Tolerance& tolerance);  // both must be finite

// Returns the shortest text that reads back as `value`: as a float32 if `value` is one, else as a
// double.
std::string number_text(double value);

// The reason why a row differs: the first of these that applies. Rows are listed in this order.
enum class Cause : std::uint8_t {
  kLabelFar,   // labels differ; their two scores are over kNearBoundary apart, or unknown
  kLabelNear,  // labels differ; their two scores are at most kNearBoundary apart
  kNotFinite,  // NaN or infinity in A only or in B only, or different in both
  kText,       // a different count or reason, or a score that only one file has
  kNumber,     // numbers that differ by more than the tolerance
};
std::string_view name_of(Cause cause);  // "label", "label-near-boundary", …

struct DifferingRow {
  std::string id{};
  std::uint64_t row_a = 0;  // row number in A, from 1
  std::uint64_t row_b = 0;
  Cause cause = Cause::kNumber;
  std::string column{};  // column with the worst difference; for embeddings its number, from 0
  std::string a{};       // the value in A
  std::string b{};
  double difference = 0;           // absolute difference, if a and b are numbers
  std::optional<double> margin{};  // distance of a label's two scores; empty: unknown
};

struct LabelComparison {
  std::string column{};
  std::uint64_t equal = 0;
  std::uint64_t differing = 0;
  std::uint64_t differing_far = 0;  // differing labels that are not near the boundary
};

// All compared numbers of a dataset. For numbers that are finite in A and B, `absolute` is |a - b|,
// and `relative` is |a - b| divided by the larger of |a| and |b|.
struct NumberComparison {
  std::uint64_t values = 0;   // all compared numbers
  std::uint64_t within = 0;   // numbers that are identical or within tolerance
  std::uint64_t unusual = 0;  // numbers that differ by more than Tolerance::usual
  Statistic absolute{};
  Statistic relative{};
  std::uint64_t nan_in_both = 0;  // NaN with the same bits in A and B, which counts as identical
  std::uint64_t not_finite = 0;   // numbers of Cause::kNotFinite

  bool mostly_usual() const { return unusual <= values / 100; }
  bool all_within() const { return within == values && mostly_usual(); }
};

// The two numbers that differ most, and their place.
struct LargestDifference {
  std::string id{};
  std::uint64_t row_a = 0;
  std::uint64_t row_b = 0;
  std::string column{};
  double a = 0;
  double b = 0;
};

// Cosines between A's and B's embedding of each row, if both are finite; 1 for two zero vectors.
struct CosineComparison {
  Statistic cosine{};
  std::string least_id{};
  std::uint64_t least_row_a = 0;
};

// The comparison of one table, or of one dataset of embeddings.
struct DatasetComparison {
  std::string name{};
  RowCounts rows{};
  std::uint64_t identical = 0;  // rows with the same bytes, or the same bits
  std::uint64_t within = 0;     // rows that are not identical, but within tolerance
  std::uint64_t differing = 0;  // all other rows that are in both files
  NumberComparison numbers{};
  std::optional<LargestDifference> largest{};  // empty: no number differs
  std::optional<LabelComparison> labels{};
  std::optional<CosineComparison> cosine{};
  std::vector<DifferingRow> first_differing{};
  std::vector<std::string> first_only_a{};  // ids of the first rows that only A has
  std::vector<std::string> first_only_b{};
  std::vector<std::string> remarks{};

  std::uint64_t only_a() const { return rows.in_a - rows.in_both; }
  std::uint64_t only_b() const { return rows.in_b - rows.in_both; }
  // True if A and B have the same rows, identical or within tolerance. Order does not matter.
  bool equal() const {
    return differing == 0 && only_a() == 0 && only_b() == 0 && numbers.mostly_usual();
  }
};

// A column's name, or its number if it has no name.
struct ColumnName {
  std::string_view name{};
  std::size_t number = 0;

  std::string text() const { return name.empty() ? std::to_string(number) : std::string(name); }
};

// Compares a dataset row by row. Call begin_row(), one function per value, then end_row().
class DatasetCounter {
 public:
  // Keeps up to `named` differing rows, and up to `named` ids of rows that only one file has.
  DatasetCounter(std::string name, const Tolerance& tolerance, std::size_t named);

  // Both rows must live until end_row().
  void begin_row(const IdRow& a, const IdRow& b);
  void number(const ColumnName& column, double a, double b, bool same_bits);
  // `margin`: the distance of the label's two scores; empty: unknown.
  void label(const ColumnName& column, std::string_view a, std::string_view b,
             std::optional<double> margin);
  void text(const ColumnName& column, std::string_view a, std::string_view b);
  void cosine(double value);
  void end_row();

  void only_a(const IdRow& row) { keep_id(row, result_.first_only_a); }
  void only_b(const IdRow& row) { keep_id(row, result_.first_only_b); }
  void remark(std::string text) { result_.remarks.push_back(std::move(text)); }

  DatasetComparison finish(const RowCounts& rows);

 private:
  void keep_id(const IdRow& row, std::vector<std::string>& ids) const;
  void finite(const ColumnName& column, double a, double b, bool same_bits);
  void note_numbers(Cause cause, const ColumnName& column, double a, double b, double difference);
  void note(DifferingRow row);
  void keep(DifferingRow row);

  DatasetComparison result_;
  const Tolerance tolerance_;
  const std::size_t named_;
  const IdRow* a_ = nullptr;
  const IdRow* b_ = nullptr;
  bool identical_ = true;
  std::optional<DifferingRow> worst_;  // the worst difference of the current row
};

}  // namespace virnucpro

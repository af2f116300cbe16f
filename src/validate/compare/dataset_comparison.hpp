#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/statistic.hpp"
#include "validate/compare/row_match.hpp"

namespace virnucpro {

// If the scores are closer than this, a label may change between precisions (semantics.md, section
// 7).
inline constexpr double kNearBoundary = 0.1;

// When two numbers count as equal: |a - b| <= absolute + relative * |b|, as in numpy.isclose. The
// default of `absolute` is how far fp32 embeddings may differ from the reference (semantics.md,
// section 7).
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
  bool exact = false;  // only equal bytes, or bits, count as equal
  // These are set for the tolerance of a precision, which has a name.
  double usual = 0;           // 99 % of a table's numbers may differ by no more; 0: no such bound
  double embedding = 0;       // the absolute bound for a number of an embedding
  double equal_labels = 100;  // percent, at least; only the suite `equivalence` allows others
  std::string_view precision = {};

  Tolerance of_embeddings() const {
    if (precision.empty()) return *this;
    return {.relative = 0, .absolute = embedding, .precision = precision};
  }
};
// Returns the tolerance for two runs: the coarser precision's; the default for fp32 and other
// names. Noise of a precision is no difference, but a changed call is.
Tolerance tolerance_of(std::string_view a, std::string_view b);

bool is_within(double a, double b, const Tolerance& tolerance);  // both must be finite

// The shortest text that reads back as the same number, as float32 if it is one.
std::string number_text(double value);

// The reason why a row differs; if there are several, the first. Rows are listed in this order.
enum class Cause : std::uint8_t {
  kLabelFar,   // a different label, though A's two scores are more than kNearBoundary apart
  kLabelNear,  // a different label, near the boundary
  kNotFinite,  // NaN or infinity in one of them, or a different one in each
  kText,       // a different count or reason, or a score that only one has
  kNumber,     // beyond tolerance
};
std::string_view name_of(Cause cause);  // "label", "label-near-boundary", …

struct DifferingRow {
  std::string id{};
  std::uint64_t row_a = 0;  // from 1
  std::uint64_t row_b = 0;
  Cause cause = Cause::kNumber;
  std::string column{};  // of the largest difference; of embeddings its number, from 0
  std::string a{};       // the value in A
  std::string b{};
  double difference = 0;           // of numbers
  std::optional<double> margin{};  // of labels: the distance of A's two scores; empty: unknown
};

struct LabelComparison {
  std::string column{};
  std::uint64_t equal = 0;
  std::uint64_t differing = 0;
  std::uint64_t differing_far = 0;  // those of them not near the boundary
};

// For numbers that are finite in both: |a - b|, and this divided by the larger of |a| and |b|.
struct NumberComparison {
  std::uint64_t values = 0;   // compared
  std::uint64_t within = 0;   // those of them identical or within tolerance
  std::uint64_t unusual = 0;  // those that differ by more than Tolerance::usual
  Statistic absolute{};
  Statistic relative{};
  std::uint64_t nan_in_both = 0;  // with the same bits: identical, though not a result
  std::uint64_t not_finite = 0;   // Cause::kNotFinite

  bool mostly_usual() const { return unusual <= values / 100; }
  bool all_within() const { return within == values && mostly_usual(); }
};

// The largest difference between two numbers.
struct LargestDifference {
  std::string id{};
  std::uint64_t row_a = 0;
  std::uint64_t row_b = 0;
  std::string column{};
  double a = 0;
  double b = 0;
};

// Cosines of embeddings that are finite in both, computed in double; 1 for two zero vectors.
struct CosineComparison {
  Statistic cosine{};
  std::string least_id{};
  std::uint64_t least_row_a = 0;
};

// One table or one dataset of embeddings, in A and in B.
struct DatasetComparison {
  std::string name{};
  RowCounts rows{};
  std::uint64_t identical = 0;  // byte by byte, or bit by bit
  std::uint64_t within = 0;     // not identical, but within tolerance
  std::uint64_t differing = 0;  // of the rows in both
  NumberComparison numbers{};
  std::optional<LargestDifference> largest{};  // empty: no number differs
  std::optional<LabelComparison> labels{};
  std::optional<CosineComparison> cosine{};
  std::vector<DifferingRow> first_differing{};
  std::vector<std::string> first_only_a{};  // ids
  std::vector<std::string> first_only_b{};
  std::vector<std::string> remarks{};

  std::uint64_t only_a() const { return rows.in_a - rows.in_both; }
  std::uint64_t only_b() const { return rows.in_b - rows.in_both; }
  // True if both have the same rows, identical or within tolerance. Order does not matter.
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

// Counts one dataset row by row: begin_row(), the row's values, end_row(). Memory: the listed rows.
class DatasetCounter {
 public:
  // Keeps the first `named` differing rows, and as many of the rows that only one file has.
  DatasetCounter(std::string name, const Tolerance& tolerance, std::size_t named);

  // The rows must outlive end_row().
  void begin_row(const IdRow& a, const IdRow& b);
  void number(const ColumnName& column, double a, double b, bool same_bits);
  // `margin`: the distance of A's two scores.
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
  std::optional<DifferingRow> worst_;  // of the current row
};

}  // namespace virnucpro

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

// Within a margin of this a label may change between precisions (docs/reference/semantics.md,
// section 7).
inline constexpr double kNearBoundary = 0.1;

// When two numbers count as equal: |a - b| <= absolute + relative * |b|, as numpy.isclose has it.
// The default of `absolute` is what fp32 embeddings may differ by from the reference (section 7
// there).
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
  bool exact = false;  // nothing but equal bytes, or bits, will do
};

bool is_within(double a, double b, const Tolerance& tolerance);  // of finite numbers

// The shortest text that reads back to the same number, as float32 where it is one.
std::string number_text(double value);

// Why a row differs; of several the first. Rows are listed in this order.
enum class Cause : std::uint8_t {
  kLabelFar,   // another label, though A's two scores lie more than kNearBoundary apart
  kLabelNear,  // another label, near the boundary
  kNotFinite,  // NaN or an infinity in one of them, or another one in each
  kText,       // another count or reason, or a score in one of them alone
  kNumber,     // beyond tolerance
};
std::string_view name_of(Cause cause);  // "label", "label-near-boundary", …

struct DifferingRow {
  std::string id{};
  std::uint64_t row_a = 0;  // from 1
  std::uint64_t row_b = 0;
  Cause cause = Cause::kNumber;
  std::string column{};  // where they differ most; of embeddings its number, from 0
  std::string a{};       // what stands there
  std::string b{};
  double difference = 0;           // of numbers
  std::optional<double> margin{};  // of labels: how far apart A's scores lie; empty: unknown
};

struct LabelComparison {
  std::string column{};
  std::uint64_t equal = 0;
  std::uint64_t differing = 0;
  std::uint64_t differing_far = 0;  // of these, those not near the boundary
};

// Of numbers that are finite in both: |a - b|, and that over the larger of |a| and |b|.
struct NumberComparison {
  std::uint64_t values = 0;  // looked at
  std::uint64_t within = 0;  // of these, identical or within tolerance
  Statistic absolute{};
  Statistic relative{};
  std::uint64_t nan_in_both = 0;  // the same bits: identical, but no result either
  std::uint64_t not_finite = 0;   // Cause::kNotFinite
};

// Where numbers differ most.
struct LargestDifference {
  std::string id{};
  std::uint64_t row_a = 0;
  std::uint64_t row_b = 0;
  std::string column{};
  double a = 0;
  double b = 0;
};

// Of the embeddings of a row, both finite, computed in double. Two of zeros are alike (1).
struct CosineComparison {
  Statistic cosine{};
  std::string least_id{};
  std::uint64_t least_row_a = 0;
};

// One table, or one dataset of embeddings, in both.
struct DatasetComparison {
  std::string name{};
  RowCounts rows{};
  std::uint64_t identical = 0;  // byte by byte, or bit by bit
  std::uint64_t within = 0;     // not identical, but within tolerance
  std::uint64_t differing = 0;  // of the rows that both have
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
  // Whether both have the same rows, identical or within tolerance. Their order does not count.
  bool equal() const { return differing == 0 && only_a() == 0 && only_b() == 0; }
};

// A column by its name, or by its number where it has none.
struct ColumnName {
  std::string_view name{};
  std::size_t number = 0;

  std::string text() const { return name.empty() ? std::to_string(number) : std::string(name); }
};

// Adds up one dataset: begin_row(), what the row holds, end_row(). Memory: the rows named.
class DatasetCounter {
 public:
  // Of differing rows, and of rows in one file alone, as many as `named` are kept.
  DatasetCounter(std::string name, const Tolerance& tolerance, std::size_t named);

  // The rows outlive end_row().
  void begin_row(const IdRow& a, const IdRow& b);
  void number(const ColumnName& column, double a, double b, bool same_bits);
  // `margin`: how far apart A's scores lie.
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
  std::optional<DifferingRow> worst_;  // of the row
};

}  // namespace virnucpro

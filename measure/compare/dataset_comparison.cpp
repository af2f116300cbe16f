#include "measure/compare/dataset_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace virnucpro {
namespace {

constexpr Tolerance of(std::string_view precision, double all, double usual, double embedding,
                       double equal_labels) {
  return {.relative = 0,
          .absolute = all,
          .usual = usual,
          .embedding = embedding,
          .equal_labels = equal_labels,
          .precision = precision};
}

// Tolerances for comparisons with fp32 (semantics.md, section 7). The coarsest precision is last.
constexpr std::array kPrecisions{of("fp16", 2e-2, 5e-3, 5e-2, 99.8),
                                 of("bf16", 5e-2, 2e-2, 5e-1, 99.5),
                                 of("int8", 1e-1, 4e-2, 5e-1, 98)};

// Returns the number by which rows of the same cause are sorted, the largest first: a difference,
// or a label's margin, so that labels with clear scores come first.
double weight(const DifferingRow& row) {
  if (row.cause == Cause::kNumber) return row.difference;
  if (row.cause == Cause::kLabelFar || row.cause == Cause::kLabelNear) {
    return row.margin.value_or(std::numeric_limits<double>::infinity());
  }
  return 0;
}

bool goes_before(const DifferingRow& x, const DifferingRow& y) {
  if (x.cause != y.cause) return x.cause < y.cause;
  if (weight(x) != weight(y)) return weight(x) > weight(y);
  return x.row_a < y.row_a;
}

}  // namespace

Tolerance tolerance_of(std::string_view a, std::string_view b) {
  // "int8-simulated", int8 on the CPU, has the tolerance of int8.
  const auto is_of = [](std::string_view run, std::string_view precision) {
    return run.substr(0, run.find('-')) == precision;
  };
  Tolerance coarser;
  for (const Tolerance& known : kPrecisions) {
    if (is_of(a, known.precision) || is_of(b, known.precision)) coarser = known;
  }
  return coarser;
}

bool is_within(double a, double b, const Tolerance& tolerance) {
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

std::string number_text(double value) {
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? fmt::format("{}", narrow)
                                              : fmt::format("{}", value);
}

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, 5> kNames{"label", "label-near-boundary", "not-finite",
                                                   "text", "number"};
  return kNames.at(static_cast<std::size_t>(cause));
}

DatasetCounter::DatasetCounter(std::string name, const Tolerance& tolerance, std::size_t named)
    : tolerance_(tolerance), named_(named) {
  result_.name = std::move(name);
}

void DatasetCounter::begin_row(const IdRow& a, const IdRow& b) {
  a_ = &a;
  b_ = &b;
  identical_ = true;
  worst_.reset();
}

void DatasetCounter::number(const ColumnName& column, double a, double b, bool same_bits) {
  NumberComparison& numbers = result_.numbers;
  ++numbers.values;
  if (!same_bits) identical_ = false;
  if (std::isfinite(a) && std::isfinite(b)) {
    finite(column, a, b, same_bits);
  } else if (same_bits) {
    ++numbers.within;
    if (std::isnan(a)) ++numbers.nan_in_both;
  } else {
    ++numbers.not_finite;
    note_numbers(Cause::kNotFinite, column, a, b, 0);
  }
}

void DatasetCounter::finite(const ColumnName& column, double a, double b, bool same_bits) {
  NumberComparison& numbers = result_.numbers;
  const double difference = std::abs(a - b);
  const double larger = std::max(std::abs(a), std::abs(b));
  if (difference > numbers.absolute.maximum) {
    result_.largest = LargestDifference{.id = a_->id,
                                        .row_a = a_->number,
                                        .row_b = b_->number,
                                        .column = column.text(),
                                        .a = a,
                                        .b = b};
  }
  numbers.absolute.add(difference);
  numbers.relative.add(difference == 0 ? 0 : difference / larger);
  const bool within = is_within(a, b, tolerance_);
  if (within) ++numbers.within;
  if (tolerance_.usual > 0 && difference > tolerance_.usual) ++numbers.unusual;
  if (tolerance_.exact ? same_bits : within) return;
  note_numbers(Cause::kNumber, column, a, b, difference);
}

// Formats the two values only if their difference is the worst of the row so far.
void DatasetCounter::note_numbers(Cause cause, const ColumnName& column, double a, double b,
                                  double difference) {
  const bool is_worse = !worst_ || cause < worst_->cause ||
                        (cause == worst_->cause && difference > worst_->difference);
  if (!is_worse) return;
  note({.cause = cause,
        .column = column.text(),
        .a = number_text(a),
        .b = number_text(b),
        .difference = difference});
}

void DatasetCounter::label(const ColumnName& column, std::string_view a, std::string_view b,
                           std::optional<double> margin) {
  if (!result_.labels) result_.labels = LabelComparison{.column = column.text()};
  LabelComparison& labels = *result_.labels;
  if (a == b) {
    ++labels.equal;
    return;
  }
  const bool is_near = margin && *margin <= kNearBoundary;
  ++labels.differing;
  if (!is_near) ++labels.differing_far;
  identical_ = false;
  note({.cause = is_near ? Cause::kLabelNear : Cause::kLabelFar,
        .column = column.text(),
        .a = std::string(a),
        .b = std::string(b),
        .margin = margin});
}

void DatasetCounter::text(const ColumnName& column, std::string_view a, std::string_view b) {
  if (a == b) return;
  identical_ = false;
  note({.cause = Cause::kText, .column = column.text(), .a = std::string(a), .b = std::string(b)});
}

void DatasetCounter::cosine(double value) {
  if (!result_.cosine) result_.cosine.emplace();
  CosineComparison& cosines = *result_.cosine;
  if (cosines.cosine.samples == 0 || value < cosines.cosine.minimum) {
    cosines.least_id = a_->id;
    cosines.least_row_a = a_->number;
  }
  cosines.cosine.add(value);
}

// Keeps a difference if it is the worst of the current row.
void DatasetCounter::note(DifferingRow row) {
  row.id = a_->id;
  row.row_a = a_->number;
  row.row_b = b_->number;
  if (!worst_ || goes_before(row, *worst_)) worst_ = std::move(row);
}

void DatasetCounter::end_row() {
  if (worst_) {
    ++result_.differing;
    keep(std::move(*worst_));
  } else {
    ++(identical_ ? result_.identical : result_.within);
  }
  worst_.reset();
}

void DatasetCounter::keep(DifferingRow row) {
  std::vector<DifferingRow>& rows = result_.first_differing;
  const auto place = std::upper_bound(rows.begin(), rows.end(), row, goes_before);
  if (static_cast<std::size_t>(place - rows.begin()) >= named_) return;
  rows.insert(place, std::move(row));
  if (rows.size() > named_) rows.pop_back();
}

void DatasetCounter::keep_id(const IdRow& row, std::vector<std::string>& ids) const {
  if (ids.size() < named_) ids.push_back(row.id);
}

DatasetComparison DatasetCounter::finish(const RowCounts& rows) {
  result_.rows = rows;
  return std::move(result_);
}

}  // namespace virnucpro

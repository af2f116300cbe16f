#include "measure/compare/comparison_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace virnucpro {
namespace {

// --- for people ----------------------------------------------------------------------------------

std::string line(std::string_view name, const std::string& text) {
  return fmt::format("  {:<19}  {}\n", name, text);
}

// Returns a percentage, rounded down so that "100.00 %" means all.
std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "none";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} of {} ({:.2f} %)", grouped(part), grouped(whole),
                     part == whole ? percent : std::floor(100 * percent) / 100);
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

std::string tolerance_text(const Tolerance& tolerance) {
  const std::string rule =
      fmt::format("|a - b| <= {} + {} |b|", tolerance.absolute, tolerance.relative);
  if (!tolerance.precision.empty()) {
    return fmt::format(
        "for {}: |a - b| <= {}, and <= {} for 99 % of the numbers; in embeddings, <= {}",
        tolerance.precision, tolerance.absolute, tolerance.usual, tolerance.embedding);
  }
  return tolerance.exact
             ? "none: bytes and bits must be equal; \"values within\" counts those with " + rule
             : rule;
}

std::string rows_text(const DatasetComparison& dataset) {
  const RowCounts& rows = dataset.rows;
  std::string text = fmt::format("{} in A, {} in B, {} in both", grouped(rows.in_a),
                                 grouped(rows.in_b), grouped(rows.in_both));
  if (!rows.same_order) text += ", in another order";
  return text;
}

std::string label_lines(const LabelComparison& labels) {
  std::string text =
      fmt::format("{} equal, {} differ", grouped(labels.equal), grouped(labels.differing));
  if (labels.differing != 0) {
    text += fmt::format(", {} of them not near the boundary", grouped(labels.differing_far));
  }
  return line(labels.column, text);
}

std::string number_lines(const DatasetComparison& dataset) {
  const NumberComparison& numbers = dataset.numbers;
  if (numbers.values == 0) return {};
  std::string text = line("values within", share(numbers.within, numbers.values));
  if (!numbers.mostly_usual()) {
    text += line("over the 99 % bound", share(numbers.unusual, numbers.values));
  }
  text += line("absolute difference",
               fmt::format("at most {}, mean {}", number(numbers.absolute.maximum),
                           number(numbers.absolute.average)));
  text += line("relative difference",
               fmt::format("at most {}, mean {}", number(numbers.relative.maximum),
                           number(numbers.relative.average)));
  if (dataset.largest) {
    const LargestDifference& most = *dataset.largest;
    text += line("largest difference", fmt::format("row {}, {}, column {}: {} in A, {} in B",
                                                   most.row_a, printable(most.id), most.column,
                                                   number_text(most.a), number_text(most.b)));
  }
  if (numbers.not_finite != 0) {
    text += line("NaN or infinite",
                 fmt::format("{} values that differ between A and B", grouped(numbers.not_finite)));
  }
  if (numbers.nan_in_both != 0) {
    text += line("NaN in both", fmt::format("{} values: identical, but not valid results",
                                            grouped(numbers.nan_in_both)));
  }
  return text;
}

std::string cosine_lines(const CosineComparison& cosine) {
  return line("cosine",
              fmt::format("at least {:.9f} (row {}, {}), mean {:.9f}", cosine.cosine.minimum,
                          cosine.least_row_a, printable(cosine.least_id), cosine.cosine.average));
}

std::string why(const DifferingRow& row) {
  switch (row.cause) {
    case Cause::kLabelFar:
    case Cause::kLabelNear: {
      const char* where =
          row.cause == Cause::kLabelNear ? "near the boundary" : "NOT near the boundary";
      return row.margin ? fmt::format("{}: the two scores are {} apart", where, number(*row.margin))
                        : std::string("distance from the boundary unknown");
    }
    case Cause::kNotFinite:
      return "not finite";
    case Cause::kNumber:
      return fmt::format("{} apart", number(row.difference));
    case Cause::kText:
      break;
  }
  return "the texts differ";
}

std::string row_line(const DifferingRow& row) {
  const std::string in_b = row.row_b == row.row_a ? "" : fmt::format(" (in B {})", row.row_b);
  return fmt::format("    row {}{}, {}: {} is {} in A, {} in B; {}\n", row.row_a, in_b,
                     printable(row.id), row.column, printable(row.a), printable(row.b), why(row));
}

// Returns "first 10 of 34", or only the number if all are shown.
std::string how_many(std::size_t shown, std::uint64_t all) {
  return shown == all ? grouped(all) : fmt::format("first {} of {}", shown, grouped(all));
}

std::string id_lines(std::string_view file, const std::vector<std::string>& ids,
                     std::uint64_t count) {
  if (count == 0) return {};
  std::string text = fmt::format("  rows in {} alone, {}\n", file, how_many(ids.size(), count));
  for (const std::string& id : ids) text += fmt::format("    {}\n", printable(id));
  return text;
}

std::string dataset_text(const DatasetComparison& dataset) {
  std::string text = fmt::format("\n{}\n", dataset.name);
  text += line("rows", rows_text(dataset));
  text += line("identical", share(dataset.identical, dataset.rows.in_both));
  text += line("within tolerance", share(dataset.identical + dataset.within, dataset.rows.in_both));
  if (dataset.labels) text += label_lines(*dataset.labels);
  text += number_lines(dataset);
  if (dataset.cosine) text += cosine_lines(*dataset.cosine);
  for (const std::string& remark : dataset.remarks) text += line("remark", remark);
  if (dataset.differing != 0) {
    text += fmt::format("  differing rows, {}\n",
                        how_many(dataset.first_differing.size(), dataset.differing));
  }
  for (const DifferingRow& row : dataset.first_differing) text += row_line(row);
  text += id_lines("A", dataset.first_only_a, dataset.only_a());
  text += id_lines("B", dataset.first_only_b, dataset.only_b());
  return text;
}

// Returns a summary: first of the labels, then of the numbers, then whether anything else differs.
std::string verdict(const Comparison& comparison) {
  bool identical = comparison.equal();
  bool within = true;
  std::optional<bool> labels;
  for (const DatasetComparison& dataset : comparison.datasets) {
    identical = identical && dataset.within == 0;
    within = within && dataset.numbers.all_within();
    if (dataset.labels) labels = labels.value_or(true) && dataset.labels->differing == 0;
  }
  if (identical) return "identical";
  const char* const of_labels = !labels ? "" : *labels ? "labels equal, " : "labels differ, ";
  const bool is_told = comparison.equal() || !within || !labels.value_or(true);
  return fmt::format("{}numbers {} tolerance{}", of_labels, within ? "within" : "beyond",
                     is_told ? "" : ", but rows differ");
}

// --- for programs --------------------------------------------------------------------------------

Json json_of(const Statistic& statistic) {
  if (statistic.samples == 0) return Json();
  return {{"max", statistic.maximum}, {"mean", statistic.average}};
}

Json json_of(const DifferingRow& row) {
  Json json{{"id", row.id},
            {"row_a", row.row_a},
            {"row_b", row.row_b},
            {"cause", name_of(row.cause)},
            {"column", row.column},
            {"a", row.a},
            {"b", row.b}};
  if (row.cause == Cause::kNumber) json["difference"] = row.difference;
  if (row.margin) json["margin"] = *row.margin;
  return json;
}

Json json_of(const NumberComparison& numbers, const std::optional<LargestDifference>& largest) {
  if (numbers.values == 0) return Json();
  Json json{{"values", numbers.values},
            {"within", numbers.within},
            {"unusual", numbers.unusual},
            {"absolute_difference", json_of(numbers.absolute)},
            {"relative_difference", json_of(numbers.relative)},
            {"not_finite", numbers.not_finite},
            {"nan_in_both", numbers.nan_in_both},
            {"largest", Json()}};
  if (largest) {
    json["largest"] = {{"id", largest->id},       {"row_a", largest->row_a},
                       {"row_b", largest->row_b}, {"column", largest->column},
                       {"a", largest->a},         {"b", largest->b}};
  }
  return json;
}

Json json_of(const std::optional<LabelComparison>& labels) {
  if (!labels) return Json();
  return {{"column", labels->column},
          {"equal", labels->equal},
          {"differing", labels->differing},
          {"differing_not_near_boundary", labels->differing_far}};
}

Json json_of(const std::optional<CosineComparison>& cosine) {
  if (!cosine) return Json();
  return {{"min", cosine->cosine.minimum},
          {"mean", cosine->cosine.average},
          {"min_id", cosine->least_id},
          {"min_row_a", cosine->least_row_a}};
}

Json json_of(const DatasetComparison& dataset) {
  std::vector<Json> rows;
  for (const DifferingRow& row : dataset.first_differing) rows.push_back(json_of(row));
  return {{"name", dataset.name},
          {"equal", dataset.equal()},
          {"rows_a", dataset.rows.in_a},
          {"rows_b", dataset.rows.in_b},
          {"rows_both", dataset.rows.in_both},
          {"only_a", dataset.only_a()},
          {"only_b", dataset.only_b()},
          {"same_order", dataset.rows.same_order},
          {"identical", dataset.identical},
          {"within", dataset.within},
          {"differing", dataset.differing},
          {"labels", json_of(dataset.labels)},
          {"numbers", json_of(dataset.numbers, dataset.largest)},
          {"cosine", json_of(dataset.cosine)},
          {"differing_rows", std::move(rows)},
          {"only_a_ids", dataset.first_only_a},
          {"only_b_ids", dataset.first_only_b},
          {"remarks", dataset.remarks}};
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("A          {}\n", printable(comparison.a.string()));
  text += fmt::format("B          {}\n", printable(comparison.b.string()));
  text += fmt::format("tolerance  {}\n", tolerance_text(comparison.tolerance));
  for (const std::string& remark : comparison.remarks) {
    text += fmt::format("remark     {}\n", remark);
  }
  for (const DatasetComparison& dataset : comparison.datasets) text += dataset_text(dataset);
  return text + fmt::format("\n{}\n", verdict(comparison));
}

std::string comparison_json(const Comparison& comparison) {
  std::vector<Json> datasets;
  for (const DatasetComparison& dataset : comparison.datasets) datasets.push_back(json_of(dataset));
  const Json json{{"program_version", program_version()},
                  {"a", comparison.a.string()},
                  {"b", comparison.b.string()},
                  {"kind", comparison.kind},
                  {"verdict", verdict(comparison)},
                  {"equal", comparison.equal()},
                  {"tolerance",
                   {{"relative", comparison.tolerance.relative},
                    {"absolute", comparison.tolerance.absolute},
                    {"usual", comparison.tolerance.usual},
                    {"precision", comparison.tolerance.precision},
                    {"exact", comparison.tolerance.exact}}},
                  {"remarks", comparison.remarks},
                  {"datasets", std::move(datasets)}};
  return json.dump(2) + "\n";
}

}  // namespace virnucpro

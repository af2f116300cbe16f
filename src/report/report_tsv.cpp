#include <fmt/format.h>

#include "report/page_writers.hpp"

namespace virnucpro {
namespace {

std::string cell_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  return "NA";
}

}  // namespace

std::string report_tsv(const Table& table) {
  std::string text;
  for (const Column& column : table.columns) {
    text += (text.empty() ? "" : "\t") + column.key;
  }
  text += '\n';
  for (const std::vector<Value>& row : table.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : "\t") + cell_text(row[k]);
    text += '\n';
  }
  return text;
}

}  // namespace virnucpro

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "report/page_writers.hpp"

namespace virnucpro {
namespace {

std::string cell_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return without_formula(*text);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  return "NA";
}

void add_line(const std::vector<std::string>& cells, std::string& text) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) text += '\t';
    text += cells[k];
  }
  text += '\n';
}

}  // namespace

std::string report_tsv(const Table& table) {
  std::string text;
  std::vector<std::string> cells;
  for (const Column& column : table.columns) cells.push_back(column.key);
  add_line(cells, text);
  for (const std::vector<Value>& row : table.rows) {
    cells.clear();
    for (const Value& value : row) cells.push_back(cell_text(value));
    add_line(cells, text);
  }
  return text;
}

}  // namespace virnucpro

#include "measure/compare/score_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestRow = 128U << 10U;
constexpr std::string_view kAbsent = "NA";

constexpr std::array kLayouts{
    TableLayout{kFrameTable, TableKind::kFrames},
    TableLayout{kConsensusTable, TableKind::kConsensus},
    // The original's table has only ids and labels.
    TableLayout{{kConsensusTable.id, kConsensusTable.columns.first(1)}, TableKind::kConsensus},
    TableLayout{kSequenceTable, TableKind::kSequences},
    // Older tables lack the column `input`.
    TableLayout{{kSequenceTable.id, kSequenceTable.columns}, TableKind::kSequences},
};

constexpr std::array<std::string_view, 6> kLabels{"virus", "others", "ambiguous",
                                                  "True",  "False",  "unscored"};

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Recognised {
  const TableLayout* layout = nullptr;  // null: not recognised
  char separator = '\t';
};

Recognised recognise(std::string_view header) {
  for (const TableLayout& layout : kLayouts) {
    for (const char separator : {'\t', ','}) {
      if (header == layout.header(separator)) return {&layout, separator};
    }
  }
  return {};
}

}  // namespace

std::string_view name_of(TableKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"frames", "consensus", "sequences"};
  return kNames.at(static_cast<std::size_t>(kind));
}

ScoreTable::ScoreTable(const std::filesystem::path& path) : lines_(path, kLongestRow) {
  read_header();
}

void ScoreTable::fail(ErrorKind kind, const std::string& detail) const {
  throw Error(
      kind,
      Place{.file = lines_.file().path().string(), .record = rows_ + 1, .offset = lines_.offset()},
      detail);
}

void ScoreTable::read_header() {
  const FileLines::Found found = lines_.next();
  const Recognised recognised = recognise(without_cr(lines_.text()));
  if (recognised.layout == nullptr) {
    throw Error(ErrorKind::kInputFormat, Place{.file = lines_.file().path().string()},
                "its first line is not the header of a table of scores");
  }
  layout_ = recognised.layout;
  separator_ = recognised.separator;
  require_whole(found);
}

void ScoreTable::require_whole(FileLines::Found found) const {
  if (found == FileLines::Found::kTooLong) {
    fail(ErrorKind::kInputMalformed, fmt::format("a row is longer than {} bytes", kLongestRow));
  }
  if (found == FileLines::Found::kWithoutEnd) {
    fail(ErrorKind::kInputTruncated, "the last line does not end with a line feed");
  }
}

std::optional<IdRow> ScoreTable::next() {
  const FileLines::Found found = lines_.next();
  if (found == FileLines::Found::kNone) {
    lines_.file().check_unchanged();
    return std::nullopt;
  }
  require_whole(found);
  const std::string_view line = without_cr(lines_.text());
  // Splits columns from the right: an id may contain separators, the other columns do not.
  const std::size_t uncompared = layout_->last.empty() ? 0 : 1;
  const std::size_t count = layout_->columns.size() + uncompared;
  std::size_t id_size = line.size();
  std::size_t compared_end = line.size();
  for (std::size_t k = 0; k < count; ++k) {
    id_size = id_size == 0 ? std::string_view::npos : line.rfind(separator_, id_size - 1);
    if (id_size == std::string_view::npos) {
      fail(ErrorKind::kInputMalformed,
           fmt::format("the row has {} columns, not {}", k + 1, count + 1));
    }
    if (k < uncompared) compared_end = id_size;
  }
  IdRow row{.id = std::string(line.substr(0, id_size)),
            .number = rows_ + 1,
            .content = content_of(line.substr(id_size + 1, compared_end - id_size - 1))};
  ++rows_;
  return row;
}

std::string ScoreTable::content_of(std::string_view fields) const {
  std::string content(fields);
  if (separator_ != '\t') {
    // Refuses a tab in a column: below, every separator becomes a tab.
    if (fields.find('\t') != std::string_view::npos) {
      fail(ErrorKind::kInputMalformed, "a column other than the id has a tab");
    }
    std::replace(content.begin(), content.end(), separator_, '\t');
  }
  std::size_t k = 0;
  for (const std::string_view field : split_list(content, '\t'))
    check_field(layout_->columns[k++], field);
  return content;
}

void ScoreTable::check_field(const TableColumn& column, std::string_view text) const {
  const bool is_label = std::find(kLabels.begin(), kLabels.end(), text) != kLabels.end();
  const bool is_absent = column.role == ColumnRole::kScoreNa && text == kAbsent;
  const bool is_score = column.role == ColumnRole::kScore || column.role == ColumnRole::kScoreNa;
  if (column.role == ColumnRole::kLabel && !is_label) {
    fail(ErrorKind::kInputMalformed,
         fmt::format("column {} is \"{}\", not a label", column.name, text));
  }
  if (is_score && !is_absent && !score_value(text)) {
    fail(ErrorKind::kInputMalformed,
         fmt::format("column {} is \"{}\", not a number", column.name, text));
  }
}

std::optional<double> score_value(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace virnucpro

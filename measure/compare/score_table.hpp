#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_file.hpp"
#include "measure/compare/row_match.hpp"
#include "tables/table_columns.hpp"

namespace virnucpro {

enum class TableKind : std::uint8_t { kFrames, kConsensus, kSequences };
std::string_view name_of(TableKind kind);  // "frames", "consensus", "sequences"

// The layout of a table, recognised by its header.
struct TableLayout : TableColumns {
  TableKind kind;
};

// A table of predict, merge, the original or v2 (semantics.md, section 6). Its header tells the
// kind: the frames, the consensus with scores, the original's consensus without scores, or
// sequences.tsv. The header also tells the separator, tab or comma. Rows are split from the right,
// so an id may contain the separator. A line ends with LF or CR LF. Memory: one line, of at most
// 128 KiB, for a file of any size.
class ScoreTable : public RowSource {
 public:
  // Errors: kInputMissing, kInputRead, kInputChanged; kInputFormat for another header.
  explicit ScoreTable(const std::filesystem::path& path);

  const TableLayout& layout() const { return *layout_; }
  // Returns the next row; its content is the compared columns, separated by tabs. Errors, with row
  // and offset: kInputMalformed for too few columns, an unknown label, an invalid score or too long
  // a line; kInputTruncated if the last line has no line feed, because its last number may be cut.
  // Errors without a row: kInputRead; kInputChanged if the file changed meanwhile.
  std::optional<IdRow> next() override;

 private:
  [[noreturn]] void fail(ErrorKind kind, const std::string& detail) const;
  void read_header();
  void require_whole(FileLines::Found found) const;
  std::string content_of(std::string_view fields) const;
  void check_field(const TableColumn& column, std::string_view text) const;

  FileLines lines_;
  const TableLayout* layout_ = nullptr;
  char separator_ = '\t';
  std::uint64_t rows_ = 0;
};

// Returns the value of a score column: a number, NaN or infinity; empty for any other text.
std::optional<double> score_value(std::string_view text);

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "validate/compare/row_match.hpp"

namespace virnucpro {

enum class TableKind : std::uint8_t { kFrames, kConsensus, kSequences };
std::string_view name_of(TableKind kind);  // "frames", "consensus", "sequences"

enum class ColumnRole : std::uint8_t {
  kLabel,    // one of a few words
  kScore,    // a number
  kScoreNa,  // a number, or NA
  kText,     // anything: a count, a reason
};

struct TableColumn {
  std::string_view name;
  ColumnRole role;
};

// A table as its header says it is; the columns are those behind the id.
struct TableLayout {
  TableKind kind;
  std::string_view id;
  std::span<const TableColumn> columns;
};

// A table of predict or merge, of the original or of v2 (docs/reference/semantics.md, section 6),
// recognised by its header: the frames, the consensus with its scores or (the original's) without,
// or sequences.tsv. Columns are parted by tabs or commas, as in the header; ids may hold commas. A
// line ends with LF or CR LF. Of a file of any size a line is in memory, of 128 KiB at most.
class ScoreTable : public RowSource {
 public:
  // Errors: kInputMissing, kInputRead; kInputFormat for another header.
  explicit ScoreTable(const std::filesystem::path& path);

  const TableLayout& layout() const { return *layout_; }
  // A row's content is its columns behind the id, parted by tabs.
  // Errors, each with row and offset: kInputMalformed for a row with too few columns, an unknown
  // label or a score that is none, or that is too long; kInputTruncated where the last line has no
  // end: a score that is cut would still be a number.
  std::optional<IdRow> next() override;

 private:
  [[noreturn]] void fail(ErrorKind kind, const std::string& detail) const;
  void read_header();
  std::string_view next_line();
  std::string content_of(std::string_view fields) const;
  void check_field(const TableColumn& column, std::string_view text) const;

  MappedFile file_;
  const TableLayout* layout_ = nullptr;
  char separator_ = '\t';
  std::size_t at_ = 0;        // the byte that comes next
  std::size_t line_ = 0;      // the first byte of the line read last
  std::size_t released_ = 0;  // bytes whose pages were given back
  std::uint64_t rows_ = 0;
};

// The columns of a row, as ScoreTable gives its content.
std::vector<std::string_view> fields_of(std::string_view content);
// What a score column says: a number, NaN and infinities among them; empty for anything else.
std::optional<double> score_value(std::string_view text);

}  // namespace virnucpro

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace virnucpro {

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

// The columns of a table, in order: the id, `columns` and `last`. The command compare compares
// `columns`, but not `last`.
struct TableColumns {
  std::string_view id;
  std::span<const TableColumn> columns;
  std::string_view last{};

  // Returns the first line, without its line end.
  std::string header(char separator = '\t') const {
    std::string header(id);
    for (const TableColumn& column : columns) header.append(1, separator).append(column.name);
    if (!last.empty()) header.append(1, separator).append(last);
    return header;
  }
};

inline constexpr std::array kFrameColumns{TableColumn{"Prediction", ColumnRole::kLabel},
                                          TableColumn{"score1", ColumnRole::kScore},
                                          TableColumn{"score2", ColumnRole::kScore}};
inline constexpr std::array kConsensusColumns{TableColumn{"Is_Virus", ColumnRole::kLabel},
                                              TableColumn{"max_score_0", ColumnRole::kScore},
                                              TableColumn{"max_score_1", ColumnRole::kScore}};
// SequenceSummary::row() writes a row with these columns.
inline constexpr std::array kSequenceColumns{TableColumn{"length", ColumnRole::kText},
                                             TableColumn{"chunks", ColumnRole::kText},
                                             TableColumn{"chunks_scored", ColumnRole::kText},
                                             TableColumn{"frames", ColumnRole::kText},
                                             TableColumn{"virus_chunks", ColumnRole::kText},
                                             TableColumn{"max_virus_score", ColumnRole::kScoreNa},
                                             TableColumn{"mean_virus_score", ColumnRole::kScoreNa},
                                             TableColumn{"call", ColumnRole::kLabel},
                                             TableColumn{"reason", ColumnRole::kText}};

inline constexpr TableColumns kFrameTable{"Sequence_ID", kFrameColumns};
inline constexpr TableColumns kConsensusTable{"Modified_ID", kConsensusColumns};
// `input` is not compared: one input may have two names.
inline constexpr TableColumns kSequenceTable{"sequence_id", kSequenceColumns, "input"};

}  // namespace virnucpro

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/compare/compare_outputs.hpp"
#include "measure/compare/row_match.hpp"
#include "run/embedding_file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {

inline constexpr const char* kFrameHeader = "Sequence_ID\tPrediction\tscore1\tscore2\n";

// A source of rows with the given ids.
class RowList : public RowSource {
 public:
  explicit RowList(const std::vector<std::string>& ids) : ids_(ids) {}

  std::optional<IdRow> next() override {
    if (at_ == ids_.size()) return std::nullopt;
    IdRow row{.id = ids_[at_]};
    row.number = ++at_;
    row.content = "content " + std::to_string(row.number);
    return row;
  }

 private:
  std::vector<std::string> ids_;
  std::size_t at_ = 0;
};

// Compares two tables of frames, given without headers.
inline Comparison compare_frames(const std::string& a, const std::string& b,
                                 const Tolerance& tolerance = {}, std::size_t named = 10) {
  const TempDir dir;
  write_text(dir / "a", kFrameHeader + a);
  write_text(dir / "b", kFrameHeader + b);
  const Cancel cancel;
  return compare({.a = dir / "a", .b = dir / "b", .tolerance = tolerance, .named = named}, cancel);
}

using EmbeddingRows = std::vector<std::pair<std::string, std::vector<float>>>;

inline void write_embeddings(const std::filesystem::path& path, const EmbeddingRows& rows) {
  EmbeddingFile file(path, {.esm2 = static_cast<std::uint32_t>(rows.front().second.size())}, {});
  for (const auto& [id, values] : rows) file.write(file.add_row(id), {}, values);
  file.commit();
}

inline Comparison compare_embeddings(const EmbeddingRows& a, const EmbeddingRows& b,
                                     const Tolerance& tolerance = {}) {
  const TempDir dir;
  write_embeddings(dir / "a.h5", a);
  write_embeddings(dir / "b.h5", b);
  const Cancel cancel;
  return compare({.a = dir / "a.h5", .b = dir / "b.h5", .tolerance = tolerance}, cancel);
}

}  // namespace virnucpro

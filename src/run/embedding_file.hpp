#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/directory.hpp"

namespace virnucpro {

// The widths of the embeddings in a file; 0: the file does not have this embedding.
struct EmbeddingWidths {
  std::uint32_t dnabert_s = 0;
  std::uint32_t esm2 = 0;
  std::uint32_t merged = 0;  // DNABERT-S's values, then ESM-2's: the sum of both models' widths
};

// Writes embeddings as HDF5: `ids` (variable-length strings), `dnabert_s` [n, 768], `esm2` [n,
// 2560], `merged` [n, 3328], float32, and attributes. Rows may be written in any order; a row that
// is never written holds NaN. The file appears complete or not at all. Errors: kOutputWrite.
//
// Ids are written unchanged, even if they are not valid UTF-8; h5py reads them as bytes. HDF5 keeps
// state for the whole process, so only one thread at a time may use this class.
class EmbeddingFile {
 public:
  EmbeddingFile(const FilePlace& place, const EmbeddingWidths& widths,
                const std::map<std::string, std::string>& attributes);
  ~EmbeddingFile();
  EmbeddingFile(const EmbeddingFile&) = delete;
  EmbeddingFile& operator=(const EmbeddingFile&) = delete;

  // Adds a row for an id. Returns its number: 0, 1, 2 …
  std::uint64_t add_row(const std::string& id);
  std::uint64_t rows() const;
  // Removes the rows from number `rows` on, because their input is damaged.
  void truncate(std::uint64_t rows);
  // Writes a row. A span may be empty if the file does not hold that embedding.
  void write(std::uint64_t row, std::span<const float> dnabert_s, std::span<const float> esm2);
  void commit();

 private:
  struct Datasets;
  std::unique_ptr<Datasets> datasets_;
};

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace virnucpro {

// Which embeddings a file holds, by width; 0: not in the file.
struct EmbeddingWidths {
  std::uint32_t dnabert_s = 0;
  std::uint32_t esm2 = 0;
  std::uint32_t merged = 0;  // dnabert_s, then esm2: the sum of the widths that write() is given
};

// Embeddings as HDF5: `ids` (variable-length strings), `dnabert_s` [n, 768], `esm2` [n, 2560],
// `merged` [n, 3328], float32, and attributes. Rows may be written in any order; one that never was
// holds NaN. Appears complete or not at all. Errors: kOutputWrite.
//
// Ids are the bytes they are: h5py gives them as bytes, also where they are not UTF-8.
// HDF5 keeps state for the whole process: one thread at a time.
class EmbeddingFile {
 public:
  EmbeddingFile(const std::filesystem::path& path, const EmbeddingWidths& widths,
                const std::map<std::string, std::string>& attributes);
  ~EmbeddingFile();
  EmbeddingFile(const EmbeddingFile&) = delete;
  EmbeddingFile& operator=(const EmbeddingFile&) = delete;

  // Gives the row of a new id: 0, 1, 2 …
  std::uint64_t add_row(const std::string& id);
  std::uint64_t rows() const;
  // Forgets every row from `rows` on: their input turned out damaged.
  void truncate(std::uint64_t rows);
  // Either span may be empty when the file does not need it.
  void write(std::uint64_t row, std::span<const float> dnabert_s, std::span<const float> esm2);
  void commit();

 private:
  struct Datasets;
  std::unique_ptr<Datasets> datasets_;
};

}  // namespace virnucpro

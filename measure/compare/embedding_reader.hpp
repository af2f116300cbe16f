#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"

namespace virnucpro {

struct EmbeddingDataset {
  std::string name;  // "dnabert_s", "esm2" or "merged"
  std::size_t width = 0;
};

// An open file of embeddings: rows of numbers, each row with an id.
class EmbeddingReader {
 public:
  virtual ~EmbeddingReader() = default;

  virtual const std::vector<EmbeddingDataset>& datasets() const = 0;
  virtual std::uint64_t rows() const = 0;
  // Returns a row's id; rows count from 0. Errors: those of opening the file.
  virtual std::string id(std::uint64_t row) = 0;
  // Reads a row into `out`, which has the dataset's width. All types become double without loss.
  virtual void read(std::size_t dataset, std::uint64_t row, std::span<double> out) = 0;
};

// These return true if a file begins like HDF5, or like a ZIP file, which torch.save writes.
bool is_hdf5(std::string_view beginning);
bool is_torch_zip(std::string_view beginning);

// Opens an HDF5 file of `embed` (`ids`, and any of dnabert_s, esm2, merged, each [rows, width] of
// floats) or of v2 (`sequence_ids`, and ESM-2's `embeddings`). A separate process reads the file,
// since some versions of HDF5 crash on a damaged file; a crash becomes an ordinary error. Both
// processes together use memory for 1 MiB of each dataset, one HDF5 chunk (at most 64 MiB; larger
// ones are refused) and 1,024 ids. Files that refer to other files or need a plug-in are refused.
// The Cancel must outlive the reader. Errors: kInputMissing, kInputRead if the file cannot be
// opened; kInputMalformed for other contents; kOutOfMemory if no process can be started; those of
// Cancel.
std::unique_ptr<EmbeddingReader> open_hdf5_embeddings(const std::filesystem::path& path,
                                                      const Cancel& cancel);

// Opens a .pt file of the original with at most 10,000 frames: a dict of ids (`nucleotide`:
// DNABERT-S, `proteins`: ESM-2, `ids`: merged) and `data`. `data` is a tensor [rows, width], or a
// list with one element per row: a tensor, a list of numbers, or {label, mean_representation} with
// a tensor or list. The bounded readers of weights/ read the file as data; its pickle is never
// executed. Memory: eight times the pickle (512 MiB for 10,000 lists of DNABERT-S).
// Errors: the kWeights* family, those of read_pickle(); kInputMalformed for other contents.
std::unique_ptr<EmbeddingReader> open_torch_embeddings(const std::filesystem::path& path);

}  // namespace virnucpro

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

// A finished file of embeddings: rows of numbers by id.
class EmbeddingReader {
 public:
  virtual ~EmbeddingReader() = default;

  virtual const std::vector<EmbeddingDataset>& datasets() const = 0;
  virtual std::uint64_t rows() const = 0;
  // Rows are counted from 0. Errors: as open_embeddings().
  virtual std::string id(std::uint64_t row) = 0;
  // `out` has the dataset's width; narrower numbers become doubles without loss.
  virtual void read(std::size_t dataset, std::uint64_t row, std::span<double> out) = 0;
};

// Whether a file begins as HDF5 or as a ZIP of torch.save does.
bool is_hdf5(std::string_view beginning);
bool is_torch_zip(std::string_view beginning);

// HDF5 as `embed` writes it: `ids`, and any of dnabert_s, esm2, merged, each [rows, width] of
// floats. It is read in a process of its own, since not every version of HDF5 bears a damaged file:
// a crash is an error like others. Memory, of both together: a stretch of 1 MiB of each dataset,
// one of its chunks (64 MiB at most, else it is refused), 1,024 ids. What refers to other files, or
// wants a plug-in, is refused. The Cancel outlives the reader. Errors: kInputMissing, kInputRead
// when it cannot be opened, kInputMalformed for anything else in it; kOutOfMemory when no process
// can be started; Cancel's.
std::unique_ptr<EmbeddingReader> open_hdf5_embeddings(const std::filesystem::path& path,
                                                      const Cancel& cancel);

// A .pt file of the original, of up to 10,000 frames (its files hold no more): a dict of ids
// (`nucleotide`: DNABERT-S, `proteins`: ESM-2, `ids`: merged) and `data`, a tensor [rows, width],
// or a row each as a tensor, a list of numbers, or {label, mean_representation} with one of these.
// It is read as data by the bounded readers of weights/; nothing of its pickle is ever executed.
// Memory: eight times the pickle (512 MiB for 10,000 lists of DNABERT-S).
// Errors: the kWeights* family, kPickleForbidden; kInputMalformed for other contents.
std::unique_ptr<EmbeddingReader> open_torch_embeddings(const std::filesystem::path& path);

}  // namespace virnucpro

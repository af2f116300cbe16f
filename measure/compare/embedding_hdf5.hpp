#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/compare/embedding_reader.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kIdsAtOnce = 1024;

// The rows of a file of embeddings, read by HDF5 in this process. HDF5 may crash on a damaged file,
// so other code calls open_hdf5_embeddings(), which reads the file in a separate process.
class Hdf5Rows {
 public:
  virtual ~Hdf5Rows() = default;

  virtual const std::vector<EmbeddingDataset>& datasets() const = 0;
  virtual std::uint64_t rows() const = 0;
  // Returns the ids of rows [first, first + count), at most kIdsAtOnce. Error: kInputMalformed.
  virtual std::vector<std::string> ids(std::uint64_t first, std::uint64_t count) = 0;
  // Reads the numbers of rows [first, first + count) into `out`. Error: kInputMalformed.
  virtual void read(std::size_t dataset, std::uint64_t first, std::uint64_t count,
                    std::span<double> out) = 0;
};

// Opens the file behind the descriptor `file`. Messages name it `path`. Errors: kInputMalformed.
std::unique_ptr<Hdf5Rows> open_hdf5_rows(std::string path, int file, std::uint64_t bytes);

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "measure/compare/embedding_reader.hpp"

namespace virnucpro {

// The original's files of one dataset, in the order of their rows. Each has at most 10,000 frames.
struct EmbeddingParts {
  std::string dataset{};
  std::vector<std::filesystem::path> files{};  // at least one
};

// The original's files in a directory.
struct OriginalEmbeddings {
  std::vector<EmbeddingParts> datasets{};
  std::vector<std::filesystem::path> others{};  // .pt files with other names
};

// Finds output_<N>_DNABERT_S.pt, output_<N>_ESM.pt and output_<N>_merged.pt, in the directory or
// its folders <stem>_nucleotide, <stem>_protein and <stem>_merged, without opening them. Errors:
// kInputRead; kNotComparable if several folders hold the same dataset.
OriginalEmbeddings find_original_embeddings(const std::filesystem::path& directory);

// Returns one reader for all parts. Only one part at a time is in memory, so alternating between
// parts is slow. Errors: those of open_torch_embeddings(); kInputMalformed if a part has another
// dataset or width than the first part, or changes while it is read.
std::unique_ptr<EmbeddingReader> open_embedding_parts(const EmbeddingParts& parts);

}  // namespace virnucpro

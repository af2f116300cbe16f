#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "validate/compare/embedding_reader.hpp"

namespace virnucpro {

// The original's files of one dataset, each of at most 10,000 frames, in the order of their rows.
struct EmbeddingParts {
  std::string dataset{};
  std::vector<std::filesystem::path> files{};  // one at least
};

// What the original left below a directory.
struct OriginalEmbeddings {
  std::vector<EmbeddingParts> datasets{};
  std::vector<std::filesystem::path> others{};  // .pt files that by name are none of these
};

// Finds output_<N>_DNABERT_S.pt, output_<N>_ESM.pt and output_<N>_merged.pt, in the directory or in
// its folders <stem>_nucleotide, <stem>_protein and <stem>_merged; none is opened. Errors:
// kInputRead; kNotComparable where several folders hold one dataset.
OriginalEmbeddings find_original_embeddings(const std::filesystem::path& directory);

// The parts as one, each read when its rows are asked for: a part is in memory, and rows that go to
// and fro between parts take their time. Errors: as open_torch_embeddings(), and kInputMalformed
// for a part that holds another dataset, has another width, or changes meanwhile.
std::unique_ptr<EmbeddingReader> open_embedding_parts(const EmbeddingParts& parts);

}  // namespace virnucpro

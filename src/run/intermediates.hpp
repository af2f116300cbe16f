#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/file.hpp"
#include "journal/run_folder.hpp"
#include "run/embedding_file.hpp"
#include "run/frame_stream.hpp"

namespace virnucpro {

// The files of --keep-intermediate: FASTA files of chunks and frames, like those of the original
// program, and embeddings like those of `embed`. Damaged inputs are left out.
class Intermediates {
 public:
  Intermediates(const RunFolder& directory, const std::string& stem, std::uint64_t chunk_size,
                const EmbeddingWidths& widths,
                const std::map<std::string, std::string>& attributes);

  // True if an earlier run left all these files in the directory.
  static bool are_in(const std::filesystem::path& directory);

  // Adds a part. `first_number` is the number of its first frame.
  void add(const FramePart& part, std::uint64_t first_number);
  void write(std::uint64_t number, std::span<const float> dnabert_s, std::span<const float> esm2);
  // Marks everything added so far as final, at the end of a complete input.
  void keep();
  // Removes everything added since keep(). None of these frames may still be in computation.
  void drop();
  void commit();

 private:
  struct Sizes {
    std::uint64_t chunks = 0;
    std::uint64_t nucleotides = 0;
    std::uint64_t proteins = 0;
    std::uint64_t rows = 0;
  };

  AtomicFile chunks_;
  AtomicFile nucleotides_;
  AtomicFile proteins_;
  EmbeddingFile embeddings_;
  Sizes kept_;
  std::uint64_t dropped_rows_ = 0;  // a frame's row is its number minus this
};

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/file.hpp"
#include "run/embedding_file.hpp"
#include "run/frame_stream.hpp"

namespace virnucpro {

// What --keep-intermediate keeps: the chunk and frame FASTA files as the original writes them, and
// the embeddings as `embed` does. An input that turns out damaged leaves nothing in them.
class Intermediates {
 public:
  Intermediates(const std::filesystem::path& directory, const std::string& stem,
                std::uint64_t chunk_size, const EmbeddingWidths& widths,
                const std::map<std::string, std::string>& attributes);

  // Whether a run that kept them left them there.
  static bool are_in(const std::filesystem::path& directory);

  // `first_number`: of the part's first frame.
  void add(const FramePart& part, std::uint64_t first_number);
  void write(std::uint64_t number, std::span<const float> dnabert_s, std::span<const float> esm2);
  // What was added so far stays: the input it came from is whole.
  void keep();
  // Drops everything added since keep(). No frame may be on its way.
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
  std::uint64_t dropped_rows_ = 0;  // a frame's row is its number less these
};

}  // namespace virnucpro

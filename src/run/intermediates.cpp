#include "run/intermediates.hpp"

#include <system_error>

#include "journal/run_files.hpp"

namespace virnucpro {

// Looks only for the embeddings, which get their name last: if they exist, all files exist.
bool Intermediates::are_in(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::exists(run_files::kEmbeddings.in(directory), error);
}

Intermediates::Intermediates(const RunFolder& directory, const std::string& stem,
                             std::uint64_t chunk_size, const EmbeddingWidths& widths,
                             const std::map<std::string, std::string>& attributes)
    : chunks_(directory.place(run_files::kChunks, stem, chunk_size)),
      nucleotides_(directory.place(run_files::kNucleotides, stem)),
      proteins_(directory.place(run_files::kProteins, stem)),
      embeddings_(directory.place(run_files::kEmbeddings), widths, attributes) {}

void Intermediates::add(const FramePart& part, std::uint64_t first_number) {
  chunks_.write(part.chunk_fasta);
  nucleotides_.write(part.nucleotide_fasta);
  proteins_.write(part.protein_fasta);
  dropped_rows_ = first_number - embeddings_.rows();
  for (const FrameScore& frame : part.part.frames) {
    embeddings_.add_row(frame_id(part.part.id, frame.chunk, frame.name));
  }
}

void Intermediates::write(std::uint64_t number, std::span<const float> dnabert_s,
                          std::span<const float> esm2) {
  embeddings_.write(number - dropped_rows_, dnabert_s, esm2);
}

void Intermediates::keep() {
  kept_ = {.chunks = chunks_.size(),
           .nucleotides = nucleotides_.size(),
           .proteins = proteins_.size(),
           .rows = embeddings_.rows()};
}

void Intermediates::drop() {
  chunks_.truncate(kept_.chunks);
  nucleotides_.truncate(kept_.nucleotides);
  proteins_.truncate(kept_.proteins);
  embeddings_.truncate(kept_.rows);
}

void Intermediates::commit() {
  chunks_.commit();
  nucleotides_.commit();
  proteins_.commit();
  embeddings_.commit();
}

}  // namespace virnucpro

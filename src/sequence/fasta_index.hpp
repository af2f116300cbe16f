#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/cancel.hpp"
#include "base/file.hpp"

namespace virnucpro {

struct FastaFacts {
  std::string hash{};         // XXH3-128 of the decompressed text
  std::uint64_t letters = 0;  // letters of all sequences
  std::uint64_t longest = 0;  // letters of the longest sequence
  std::uint64_t index = 0;    // bytes of the .fai
};

// Writes the index by which htslib finds a sequence in a FASTA file, plain or BGZF: `name`.fai
// (manual page faidx(5)), and for BGZF `name`.gzi with the offset of each block. htslib's own
// indexer is not used, because it has no limits. Sequences that lack a name or letters are left
// out, because no read can be aligned to them. Memory is a window, a name, and 16 bytes per block.
// Errors: kInputReference and kInputRead, which name no place; those of AtomicFile and Cancel.
FastaFacts write_fasta_index(UniqueFd fasta, const std::filesystem::path& name,
                             const Cancel& cancel);

}  // namespace virnucpro

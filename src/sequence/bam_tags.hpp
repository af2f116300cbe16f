#pragma once

#include <cstdint>
#include <optional>

#include "sequence/byte_window.hpp"
#include "sequence/mapped_alignment.hpp"

namespace virnucpro {

// Facts about an alignment from the tags of its BAM record.
struct BamTags {
  std::optional<std::uint64_t> edit_distance{};  // NM
  std::optional<CigarSums> cigar{};              // CG: a CIGAR of more than 65,535 operations
};

// Reads the tags in the next `size` bytes (SAM specification, 4.2.4), in bounded memory. Errors,
// without a file: kInputMalformed, at the offset of the tag, and those of ByteWindow.
BamTags read_bam_tags(ByteWindow& bytes, std::uint64_t size);

// Adds an operation in BAM's encoding. Returns the result of CigarSums::add().
bool add_bam_operation(CigarSums& cigar, std::uint32_t operation);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <optional>

#include "sequence/byte_window.hpp"
#include "sequence/mapped_alignment.hpp"

namespace virnucpro {

// Facts about an alignment from the tags of its BAM record.
struct BamTags {
  std::optional<std::uint64_t> edit_distance{};  // the tag NM
  std::optional<CigarSums> cigar{};  // the tag CG: a CIGAR of more than 65,535 operations
};

// Reads the tags in the next `size` bytes (SAM specification, 4.2.4), in bounded memory. Errors,
// which name no file: kInputMalformed with the tag's offset, and those of ByteWindow.
BamTags read_bam_tags(ByteWindow& bytes, std::uint64_t size);

// Adds an operation in BAM's encoding. Returns false if it is unknown or exceeds CigarSums::kMost.
bool add_bam_operation(CigarSums& cigar, std::uint32_t operation);

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "journal/unit.hpp"

namespace virnucpro {

// Returns the binary form of a unit, which is the value of a journal row:
//
//   version (1 byte) · input · index · number of parts · parts · CRC-32C of all before it (4 bytes)
//   part:  id · length · chunks · hash of its letters (4 bytes) · flags (1 byte) ·
//          number of frames · frames
//   flags: skip | last << 2 | with_previous << 3
//   frame: (chunks since the frame before) << 4 | failed << 3 | name · others, virus (raw float32;
//          a failed frame has none)
//
// Numbers are LEB128, texts follow their length, everything else is little-endian. A part takes its
// id and ten bytes, a frame nine; so a run of 6 million short sequences needs some 200 MB.
std::string encode_unit(const Unit& unit);

// Decodes `blob`, which must be unit `index` of the input. Errors: kJournalDamaged, naming `file`
// and the unit, for another version, a wrong checksum, numbers that contradict each other, or bytes
// left over.
Unit decode_unit(std::span<const std::byte> blob, std::uint32_t input, std::uint64_t index,
                 const std::string& file);

// Appends the checksum to a unit's bytes.
std::string seal_unit(std::string bytes);

}  // namespace virnucpro

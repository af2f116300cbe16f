#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "journal/unit.hpp"

namespace virnucpro {

// The binary form of a unit, as a journal row holds it:
//
//   version (1 byte) · index · number of parts · parts · CRC-32C of all before it (4 bytes)
//   part:  input · id · length · chunks · hash of its letters (4 bytes) · flags (1 byte: skip |
//          last << 2) · number of frames · frames
//   frame: (chunks since the frame before) << 4 | failed << 3 | name · others, virus (raw float32;
//          a failed frame has none)
//
// Numbers are LEB128, texts have their length before them; the rest is little-endian. A frame takes
// nine bytes, so a run of 6 million sequences keeps some 200 MB.
std::string encode_unit(const Unit& unit);

// The unit that `blob` holds, which must be number `index`. Anything else is an error
// (kJournalDamaged) naming `file` and the unit: another version, a checksum that does not fit,
// numbers that contradict each other, bytes left over.
Unit decode_unit(std::span<const std::byte> blob, std::uint64_t index, const std::string& file);

// Puts the checksum behind a unit's bytes.
std::string seal_unit(std::string bytes);

}  // namespace virnucpro

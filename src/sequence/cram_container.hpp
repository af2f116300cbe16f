#pragma once

#include <cstdint>
#include <string>

#include "sequence/byte_window.hpp"

namespace virnucpro {

// A complete container of a CRAM 3 file (CRAM specification 3.1, sections 7 and 8). The CRC-32 of
// its header and of each block is right, and its sizes are possible.
struct CramContainer {
  std::string bytes;  // as in the file
  std::uint64_t offset = 0;
  std::int32_t reference = 0;  // number of the reference; -1: none, -2: several
  std::uint32_t records = 0;
  std::uint64_t bases = 0;     // as claimed, but at most the limit (see below)
  std::uint64_t unpacked = 0;  // decompressed bytes of its blocks
  bool end = false;            // true for the empty container that ends every file
  // False only if the compression header says that the records need no reference.
  bool needs_reference = true;
};

// Returns the first 26 bytes of a CRAM file. Errors, which name an offset but no file:
// kInputTruncated; kInputFormat for versions other than 3.0 and 3.1 (2.1 and older lack checksums).
std::string read_cram_definition(ByteWindow& bytes);

// These read the next container, of records or of the file's header. They allocate only for bytes
// that the file has, so a false size costs no memory. The container's size limits the decompressed
// bytes, records and bases that it may claim. `longest_reference` (letters of the longest reference
// sequence) raises the limit of bases: a read that equals this sequence takes almost no bytes.
// Errors, which name an offset but no file: kInputTruncated, kInputMalformed, kInputCorrupt.
CramContainer read_cram_container(ByteWindow& bytes, std::uint64_t longest_reference);
CramContainer read_cram_header(ByteWindow& bytes);

}  // namespace virnucpro

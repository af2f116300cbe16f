#pragma once

#include <cstdint>
#include <string>

#include "sequence/byte_window.hpp"

namespace virnucpro {

// A complete container of a CRAM 3 file (CRAM specification 3.1, sections 7 and 8). The CRC-32 of
// its header and of each block was checked, and so were its sizes.
struct CramContainer {
  std::string bytes;  // as in the file
  std::uint64_t offset = 0;
  std::int32_t reference = 0;  // -1 none, -2 several
  std::uint32_t records = 0;
  std::uint64_t bases = 0;     // as claimed, at most what its size justifies
  std::uint64_t unpacked = 0;  // decompressed size of its blocks
  bool end = false;            // true for the container that ends every file
  // False only if the container's compression header says so.
  bool needs_reference = true;
};

// Reads the first 26 bytes of a file. Errors, with offset but no file: kInputFormat for versions
// other than 3.0 and 3.1 (2.1 and older have no checksums), kInputTruncated.
std::string read_cram_definition(ByteWindow& bytes);

// Reads the next container, of records or of the file's header. It allocates only for bytes that
// the file has, so a false size costs nothing. The container's size must justify the decompressed
// bytes, records and bases that it claims. `longest_reference`, the letters of the longest
// reference sequence, raises the limit: a read equal to that sequence needs no bytes. Errors, with
// offset but no file: kInputTruncated, kInputCorrupt (a checksum), kInputMalformed.
CramContainer read_cram_container(ByteWindow& bytes, std::uint64_t longest_reference);
CramContainer read_cram_header(ByteWindow& bytes);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <string>

#include "sequence/byte_window.hpp"

namespace virnucpro {

// A container of a CRAM 3 file (CRAM specification 3.1, sections 7 and 8), whole: its header's and
// every block's CRC-32 were checked, and the sizes that they name.
struct CramContainer {
  std::string bytes;  // as the file has them
  std::uint64_t offset = 0;
  std::int32_t reference = 0;  // -1 none, -2 several
  std::uint32_t records = 0;
  std::uint64_t bases = 0;     // that it may hold: claimed, and justified by what is there
  std::uint64_t unpacked = 0;  // bytes of its blocks, decompressed
  bool end = false;            // the container that every file ends with
  // False where its compression header says so.
  bool needs_reference = true;
};

// The 26 bytes that a file starts with. Errors, with offset but no file: kInputFormat for versions
// other than 3.0 and 3.1 (2.1 and older have no checksums), kInputTruncated.
std::string read_cram_definition(ByteWindow& bytes);

// The next container, of records or of the file's header. Memory is what the file really holds of
// it: a size that is only claimed costs nothing. What it claims to unpack to, its records and its
// bases are held to what its bytes justify, and a reference's longest sequence of so many letters:
// a read that equals it costs no byte. Errors, with offset but no file: kInputTruncated,
// kInputCorrupt (a checksum), kInputMalformed.
CramContainer read_cram_container(ByteWindow& bytes, std::uint64_t longest_reference);
CramContainer read_cram_header(ByteWindow& bytes);

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace virnucpro {

// What comes out of the decoder before each record: then follow the name and the letters.
struct CramFrame {
  std::uint64_t input = 0;  // bytes that were read up to the end of the record's slice
  std::uint32_t letters = 0;
  std::uint16_t name = 0;  // bytes
  std::uint16_t flags = 0;
  bool unchecked = false;  // lies on a sequence whose MD5 the header does not have
};

// Stands for `letters` where decoding failed: `flags` is the ErrorKind, the name the detail. The
// decoder ends after it.
inline constexpr std::uint32_t kCramFailure = 0xffffffffU;

// Stands for `letters` in the frame, without name and letters, that says that the header was
// decoded.
inline constexpr std::uint32_t kCramBegun = 0xfffffffeU;

// The first thing that comes out: how much data memory the process had before it began.
struct CramHello {
  std::uint64_t data_bytes = 0;
};

// Decodes the CRAM that comes from file descriptor 0 into frames on file descriptor 1, by htslib.
// To be run in a process of its own, which it restricts: once the header was read and the reference
// opened it can open no file and no socket, so that nothing is fetched, looked up or cached,
// whatever header and environment name (REF_PATH, REF_CACHE, M5, UR). `reference` is an indexed
// FASTA file, or empty.
// Returns when the input ends or cannot be decoded.
void decode_cram(const std::string& reference);

}  // namespace virnucpro

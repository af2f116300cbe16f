#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace virnucpro {

// The decoder writes this frame before each record; the name and the letters follow.
struct CramFrame {
  std::uint64_t input = 0;  // bytes read up to the end of the record's slice
  std::uint32_t letters = 0;
  std::uint16_t name = 0;  // bytes
  std::uint16_t flags = 0;
  std::uint8_t unchecked = 0;  // not 0: the header has no MD5 for its sequence
};

// This value of `letters` means that decoding failed. `flags` is the ErrorKind, and the name is the
// detail. The decoder ends after this frame.
inline constexpr std::uint32_t kCramFailure = 0xffffffffU;

// This value of `letters` means that the header was decoded. No name or letters follow. `unchecked`
// is not 0 if system calls are not filtered.
inline constexpr std::uint32_t kCramBegun = 0xfffffffeU;

// The first message says how much data memory the process had before it began.
struct CramHello {
  std::uint64_t data_bytes = 0;
};

// Decodes the CRAM on file descriptor 0 into frames on file descriptor 1, with htslib. Run it in a
// process of its own: it opens the reference, then calls filter_system_calls(), and only then reads
// the CRAM's first byte. Nothing is fetched, looked up or cached, whatever the header and the
// environment (REF_PATH, REF_CACHE, M5, UR) name. `reference` is an indexed FASTA file, or empty.
// Returns when the input ends or cannot be decoded.
void decode_cram(const std::string& reference);

}  // namespace virnucpro

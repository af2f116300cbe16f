#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace virnucpro {

// The decoder writes this frame before each record; the name and the letters follow.
struct CramFrame {
  std::uint64_t input = 0;  // bytes of the CRAM up to the end of the record's slice
  std::uint32_t letters = 0;
  std::uint16_t name = 0;  // length in bytes
  std::uint16_t flags = 0;
  std::uint8_t unchecked = 0;  // not 0: the header has no MD5 of the record's reference
};

// This value of `letters` means that decoding failed. `flags` is then the ErrorKind, and the
// error's detail follows in place of the name. The decoder ends after this frame.
inline constexpr std::uint32_t kCramFailure = 0xffffffffU;

// This value of `letters` means that the header was decoded. No name or letters follow. In this
// frame, `unchecked` is 0 if system calls are filtered, otherwise 1.
inline constexpr std::uint32_t kCramBegun = 0xfffffffeU;

// The first message: the data memory of the process in bytes, before it opens files.
struct CramHello {
  std::uint64_t data_bytes = 0;
};

// Decodes the CRAM on descriptor 0 into frames on descriptor 1, with htslib. Call it in a process
// of its own: it opens the reference, then calls filter_system_calls(), and only then reads the
// CRAM. It never searches for, fetches or caches a reference, even if the header (M5, UR) or the
// environment (REF_PATH, REF_CACHE) asks for it. `reference` is the path of an indexed FASTA file,
// or empty. Returns when the input ends or cannot be decoded.
void decode_cram(const std::string& reference);

}  // namespace virnucpro

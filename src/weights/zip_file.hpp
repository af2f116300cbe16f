#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/steady_file.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {

struct ZipEntry {
  std::string name;
  CheckedRecord record;
};

// Reads the entries of a ZIP file with uncompressed members, as torch.save writes it (PKWARE
// APPNOTE 6.3.9, with the ZIP64 fields). The directory and the local headers must agree, and
// members may not overlap. Checksums are not compared here, but by check_crc(). Errors:
// kWeightsTruncated if the directory at the file's end is missing; kWeightsFormat for other faults;
// those of reading the file.
std::vector<ZipEntry> read_zip(const SteadyFile& file);

// Returns the CRC-32 of `bytes`, as in ZIP files. `crc` is the CRC-32 of the bytes before `bytes`.
std::uint32_t zip_crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0);

// Returns the CRC-32 of a part of a file. Errors: those of reading the file.
std::uint32_t zip_crc32(const SteadyFile& file, const Extent& part);

// Checks the checksum of an entry's bytes. Errors: kWeightsCorrupt; those of reading the file.
void check_crc(const ZipEntry& entry, const SteadyFile& file);

}  // namespace virnucpro
